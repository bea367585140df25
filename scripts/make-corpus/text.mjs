/** @import { Random } from './random.mjs' */

const ONSETS = [
  'b',
  'br',
  'c',
  'ch',
  'd',
  'dr',
  'f',
  'g',
  'gl',
  'h',
  'j',
  'k',
  'l',
  'm',
  'n',
  'p',
  'pr',
  'r',
  's',
  'st',
  't',
  'tr',
  'v',
  'w',
];
const VOWELS = ['a', 'e', 'i', 'o', 'u', 'ai', 'ea', 'ou'];
const CODAS = ['', '', 'n', 'r', 's', 't', 'l', 'nd', 'st', 'ck'];
const TECHNICAL =
  'the a to of and in is it for on that with as be this are from error file test build function return value string number array index query session entry cache retry queue worker thread lock commit branch merge deploy server client request response timeout header parser token schema migration table column row user config option default null undefined promise async await stream buffer byte offset line path folder module import export type interface class method property object key map set list loop check fix update remove add change read write open close start stop run log debug trace warn fail pass'.split(
    ' ',
  );
const FOREIGN = [
  '日本語のテストを書く',
  '세션을 다시 시작합니다',
  '这个函数返回错误的值',
  'ตรวจสอบไฟล์นี้',
  'Überprüfe die Größe',
  'déjà vu à la carte',
  'привет мир',
  '🚀 shipped 🎉',
];

const WORDS = 24_000;
const LINES = 4_000;

/** Realistic text in a Zipf vocabulary: prose, code, logs, listings. */
export class TextMaker {
  /** @param {Random} random */
  constructor(random) {
    this.random = random;
    const syllable = () => random.pick(ONSETS) + random.pick(VOWELS) + random.pick(CODAS);
    this.words = [...TECHNICAL];
    while (this.words.length < WORDS)
      this.words.push(Array.from({ length: random.int(1, 4) }, syllable).join(''));
    this.lines = Array.from({ length: LINES }, () => this.#line());
  }

  /** A word; the n-th of the vocabulary with a probability of about 1/n. */
  word() {
    return /** @type {string} */ (this.words[Math.floor(this.words.length ** this.random.next()) - 1]);
  }

  identifier() {
    const parts = [this.word(), this.word(), this.word()];
    const [a, b, c] = /** @type {[string, string, string]} */ (parts);
    const upper = (/** @type {string} */ word) => (word[0] ?? '').toUpperCase() + word.slice(1);
    return this.random.pick([
      `${a}${upper(b)}${upper(c)}`,
      `${a}_${b}`,
      `${a}-${b}`,
      `${a}.${b}`,
      `src/${a}/${b}.ts`,
      `${a.toUpperCase()}_${b.toUpperCase()}`,
    ]);
  }

  /** @param {number} count */
  prose(count) {
    const parts = [];
    for (let n = 0; n < count; n += 1) {
      const roll = this.random.next();
      if (roll < 0.04) parts.push(`\`${this.identifier()}\``);
      else if (roll < 0.043) parts.push(this.random.pick(FOREIGN));
      else parts.push(this.word());
      if (roll > 0.93) parts.push(parts.pop() + this.random.pick(['.', ',', '.\n', ':', '?']));
    }
    return parts.join(' ');
  }

  #line() {
    const { random } = this;
    const roll = random.next();
    if (roll < 0.5)
      return `${'  '.repeat(random.int(0, 4))}const ${this.identifier()} = ${this.identifier()}(${this.word()}, "${this.word()}");`;
    if (roll < 0.65)
      return `2026-01-${random.int(10, 28)}T10:${random.int(10, 59)}:00Z ${random.pick(['INFO', 'WARN', 'ERROR'])} ${this.identifier()}: ${this.prose(random.int(3, 9))}`;
    if (roll < 0.8) return `${this.identifier()}:${random.int(1, 900)}: ${this.prose(random.int(3, 8))}`;
    if (roll < 0.9)
      return `${random.pick(['+', '-', ' '])} ${this.identifier()} ${this.word()} ${random.hex(8)}`;
    return `-rw-r--r-- 1 ann ann ${random.int(100, 99999)} ${this.identifier()}`;
  }

  /** Text of a tool of about so many bytes. @param {number} bytes */
  output(bytes) {
    const parts = [];
    for (let size = 0; size < bytes; ) {
      const line = /** @type {string} */ (this.random.pick(this.lines));
      parts.push(line);
      size += line.length + 1;
    }
    return parts.join('\n');
  }

  /** A word that stands nowhere else. @param {number} n */
  planted(n) {
    let text = '';
    for (let rest = n + 26; rest > 0; rest = Math.floor(rest / 26))
      text += String.fromCharCode(97 + (rest % 26));
    return `xq${text}zj`;
  }
}
