import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { LAYERS, PACKAGES, PURE_BUILTINS, PURE_LAYERS, RESTRICTED_BUILTINS } from './check-layers.table.mjs';

/**
 * Every import in `sourceDirectory` that the table does not allow, as `{file, line, specifier, message}`; file is
 * relative to the directory. Type-only, re-exporting and dynamic imports count like any other.
 */
export function checkLayers(sourceDirectory) {
  const files = sourceFiles(sourceDirectory).map((file) => read(sourceDirectory, file));
  const violations = files.flatMap((file) => file.imports.map((item) => judge(file, item)).filter(Boolean));
  return [...violations, ...cycles(files)];
}

/** One violation as a line for people. */
export function describe({ file, line, message }) {
  return `src/${file}:${line} ${message}`;
}

function sourceFiles(directory) {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.[cm]?tsx?$/.test(entry.name))
    .map((entry) =>
      path.relative(directory, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'),
    )
    .sort();
}

function read(directory, file) {
  const text = readFileSync(path.join(directory, file), 'utf8');
  const imports = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName, pos }) => ({
    specifier: fileName,
    line: text.slice(0, pos).split('\n').length,
    target: fileName.startsWith('.') ? resolve(directory, file, fileName) : undefined,
  }));
  return { file, layer: layerOf(file), text, imports };
}

/** The source file that `specifier` means, relative to the source directory. */
function resolve(directory, file, specifier) {
  const target = path.posix.join(path.posix.dirname(file), specifier);
  const source = target.replace(/\.([cm]?)js$/, '.$1ts');
  return existsSync(path.join(directory, source)) ? source : target;
}

/** `tree/path.ts` -> `tree`; `errors.ts` -> `errors.ts`. */
function layerOf(file) {
  return file.split('/')[0];
}

function judge(file, item) {
  const problem = item.target === undefined ? judgePackage(file, item) : judgeLayer(file, item);
  return problem && { file: file.file, line: item.line, specifier: item.specifier, message: problem };
}

function judgeLayer(file, { specifier, target }) {
  const from = LAYERS[file.layer];
  if (!from) return `${file.layer} is no layer of the table`;
  if (target.startsWith('..')) return `${file.layer} imports ${specifier}, which is outside src`;
  const to = layerOf(target);
  if (to === file.layer || from.imports.includes(to)) return undefined;
  if (!from.types?.includes(to)) return `${file.layer} may not import ${to} (${specifier})`;
  return isTypeOnly(file, specifier)
    ? undefined
    : `${file.layer} may import only types of ${to} (${specifier})`;
}

function judgePackage(file, { specifier }) {
  if (isBuiltin(specifier)) return judgeBuiltin(file, specifier.replace(/^node:/, ''));
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  const layers = PACKAGES[name];
  if (!layers) return `${name} is no package of the table`;
  return layers.includes(file.layer) ? undefined : `${file.layer} may not use the package ${name}`;
}

function isBuiltin(specifier) {
  return specifier.startsWith('node:') || builtinModules.includes(specifier);
}

function judgeBuiltin(file, specifier) {
  const name = specifier.split('/')[0];
  const rule = RESTRICTED_BUILTINS[name];
  const names = rule?.only?.[file.layer];
  if (names) {
    const other = importedNames(file, specifier).find((imported) => !names.includes(imported));
    return other && `${file.layer} may use only ${names.join(', ')} of node:${name}, not ${other}`;
  }
  const isAllowed = rule
    ? rule.layers.includes(file.layer)
    : !PURE_LAYERS.includes(file.layer) || PURE_BUILTINS.includes(name);
  return isAllowed ? undefined : `${file.layer} may not use node:${name}`;
}

/** The import and export declarations of `file` that name `specifier`. */
function declarationsOf(file, specifier) {
  const source = ts.createSourceFile(file.file, file.text, ts.ScriptTarget.Latest);
  return source.statements.filter(
    (statement) =>
      (ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)) &&
      statement.moduleSpecifier?.text === specifier,
  );
}

/** False as soon as one mention of `specifier` would still be there when the program runs. */
function isTypeOnly(file, specifier) {
  const mentions = file.imports.filter((item) => item.specifier === specifier).length;
  const declarations = declarationsOf(file, specifier);
  return (
    declarations.length === mentions &&
    declarations.every((item) =>
      ts.isImportDeclaration(item) ? item.importClause?.isTypeOnly : item.isTypeOnly,
    )
  );
}

/** What `file` takes from a Node module; `*` stands for all of it. */
function importedNames(file, builtin) {
  const declarations = [builtin, `node:${builtin}`].flatMap((specifier) => declarationsOf(file, specifier));
  if (declarations.length === 0) return ['*'];
  return declarations.flatMap((item) => {
    const names = ts.isImportDeclaration(item) ? item.importClause?.namedBindings : item.exportClause;
    if (!names || !('elements' in names)) return ['*'];
    return names.elements.map((element) => (element.propertyName ?? element.name).text);
  });
}

/** Each knot of files that import one another, once, as the chain that closes it. */
function cycles(files) {
  const byName = new Map(files.map((file) => [file.file, file]));
  const state = new Map();
  const found = [];
  const chain = [];
  const visit = (file) => {
    state.set(file, 'open');
    chain.push(file.file);
    for (const { target, line, specifier } of file.imports) {
      const next = byName.get(target);
      if (!next) continue;
      if (state.get(next) === 'open') {
        const knot = [...chain.slice(chain.indexOf(next.file)), next.file];
        found.push({
          file: file.file,
          line,
          specifier,
          message: `closes an import cycle: ${knot.join(' -> ')}`,
        });
      } else if (!state.has(next)) visit(next);
    }
    chain.pop();
    state.set(file, 'done');
  };
  for (const file of files) if (!state.has(file)) visit(file);
  return found;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const violations = checkLayers(fileURLToPath(new URL('../src', import.meta.url)));
  for (const violation of violations) console.error(describe(violation));
  process.exitCode = violations.length > 0 ? 1 : 0;
}
