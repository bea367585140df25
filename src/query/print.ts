import type { Filter, QueryTree, Text } from './ast.js';
import { isNegatable } from './lex.js';
import { quote } from './quoted.js';
import { nearestRole } from './roles.js';
import { isOneWord, readWord } from './words.js';

/** The canonical text of a simplified tree: parsing it gives the same tree, positions apart. */
export function printQuery(node: QueryTree): string {
  switch (node.kind) {
    case 'text':
      return printText(node);
    case 'filter':
      return printFilter(node);
    case 'not': {
      const child = printOperand(node.child, ['and', 'or']);
      return isNegatable(child) ? `-${child}` : `NOT ${child}`;
    }
    case 'and':
      return node.children.map((child) => printOperand(child, ['and', 'or'])).join(' ');
    case 'or':
      return node.children.map((child) => printOperand(child, ['or'])).join(' OR ');
  }
}

function printOperand(node: QueryTree, grouped: readonly QueryTree['kind'][]): string {
  const text = printQuery(node);
  return grouped.includes(node.kind) ? `(${text})` : text;
}

function printText({ form, text, flags }: Text): string {
  switch (form) {
    case 'phrase':
      return quote(text);
    case 'regex':
      return `/${text}/${flags === undefined || flags === 'i' ? '' : flags}`;
    case 'word':
      return readsAs(form, text, text) ? text : quote(text);
    case 'prefix':
      return readsAs(form, text, `${text}*`) ? `${text}*` : `${quote(text)}*`;
    case 'substring':
      return readsAs(form, text, `*${text}*`) ? `*${text}*` : `*${quote(text)}*`;
  }
}

function readsAs(form: Text['form'], text: string, word: string): boolean {
  const reading = readWord(word);
  return reading.kind === 'text' && reading.form === form && reading.text === text && isOneWord(word);
}

function printFilter({ name, values }: Filter): string {
  // A second colon or two slashes would make it a text, as in `file:///a`.
  const mustQuote = (value: string) =>
    /[\s"(),]|^(?::|\/\/)/u.test(value) || (name === 'role' && nearestRole(value) !== undefined);
  return `${name}:${values.map((value) => (mustQuote(value) ? quote(value) : value)).join(',')}`;
}
