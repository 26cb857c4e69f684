// Finds words that the glossary replaces, in names, texts and names of files: `node scripts/check-vocabulary.mjs [FOLDER]`.
// The words are data: vocabulary.json beside this script. An entry lists `terms` (single words or phrases, found inside camelCase, snake_case
// and kebab-case names too) or an `ending` of names, the word to `use`, where it is looked for if not everywhere (`scope`: `names` of code,
// or `code` without comments), and exceptions: an exact `text`, the path it is `in`, and a `reason`.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const scanned = ['src', 'test', 'config', 'reports', 'docs', 'README.md'];
const code = /\.(ts|mjs|cjs|js)$/;

const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));
const entries = JSON.parse(readFileSync(new URL('vocabulary.json', import.meta.url), 'utf8'));

/** The words of a line, lower-case, with their positions; `desk`, `openDesk`, `OPEN_DESK` and `open-desk` all contain "desk". */
const partsOf = (line) =>
  [...line.matchAll(/\\[a-z]|[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g)].map((match) => ({
    word: match[0].toLowerCase(),
    start: match.index,
    end: match.index + match[0].length,
  }));

const phrases = new Map();
for (const entry of entries)
  for (const term of entry.terms ?? []) {
    const [first, ...rest] = term.split(' ');
    phrases.set(first, [...(phrases.get(first) ?? []), { entry, rest }]);
  }
const endings = entries
  .filter(({ ending }) => ending !== undefined)
  .map((entry) => ({ entry, pattern: new RegExp(`\\b\\w*[a-z0-9]${entry.ending}\\b`, 'g') }));

const used = new Set();

/** Whether an exception of the entry covers these positions of the line. */
const isExcepted = ({ except = [] }, file, line, start, end) =>
  except.some((exception) => {
    if (![exception.in ?? ''].flat().some((path) => file.startsWith(path))) return false;
    for (let at = line.indexOf(exception.text); at >= 0; at = line.indexOf(exception.text, at + 1))
      if (at <= start && end <= at + exception.text.length) return used.add(exception) !== undefined;
    return false;
  });

const matchesOf = (line) => {
  const parts = partsOf(line);
  const found = parts.flatMap(({ word, start }, index) =>
    (phrases.get(word) ?? []).flatMap(({ entry, rest }) => {
      const following = parts.slice(index + 1, index + 1 + rest.length);
      const isPhrase = following.length === rest.length && rest.every((next, at) => following[at].word === next);
      const end = (following.at(-1) ?? parts[index]).end;
      return isPhrase && /^[\w\s-]*$/.test(line.slice(start, end)) ? [{ entry, start, end }] : [];
    }),
  );
  const ended = endings.flatMap(({ entry, pattern }) =>
    [...line.matchAll(pattern)].map((match) => ({ entry, start: match.index, end: match.index + match[0].length })),
  );
  return [...found, ...ended];
};

const blank = (text) => text.replaceAll(/[^\n]/g, ' ');

/** Comments, strings, template text and regular expressions; what is between them is code. */
const token = new RegExp(
  [
    String.raw`(?<comment>//[^\n]*|/\*[^]*?\*/)`,
    String.raw`(?<text>'(?:[^'\\\n]|\\[^])*'|"(?:[^"\\\n]|\\[^])*"|(?<=(?:^|[(,=:[!&|?{};>]|\breturn)\s*)/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*)`,
    '(?<tick>`)',
    String.raw`(?<open>\{)|(?<close>\})`,
  ].join('|'),
  'gm',
);
const templateText = /(?:[^`\\$]|\\[^]|\$(?!\{))*/y;

/** The text of a file without comments, and its names: without what is quoted, too. */
const readCode = (text) => {
  let bare = '';
  let names = '';
  let at = 0;
  const braces = [];
  const keep = (end) => {
    bare += text.slice(at, end);
    names += text.slice(at, end);
    at = end;
  };
  const quote = (end) => {
    bare += text.slice(at, end);
    names += blank(text.slice(at, end));
    at = end;
  };
  const template = () => {
    templateText.lastIndex = at;
    quote(at + (templateText.exec(text)?.[0].length ?? 0));
    const isOpen = text.startsWith('${', at);
    keep(at + (isOpen ? 2 : 1));
    if (isOpen) braces.push('template');
  };
  for (;;) {
    token.lastIndex = at;
    const match = token.exec(text);
    if (match === null) break;
    const { comment, text: quoted, tick, open } = match.groups;
    keep(match.index);
    const end = at + match[0].length;
    if (comment !== undefined) {
      bare += blank(comment);
      names += blank(comment);
      at = end;
    } else if (quoted !== undefined) quote(end);
    else {
      keep(end);
      if (tick !== undefined) template();
      else if (open !== undefined) braces.push('code');
      else if (braces.pop() === 'template') template();
    }
  }
  keep(text.length);
  return { code: bare.split('\n'), names: names.split('\n') };
};

const filesIn = (path) => {
  if (!existsSync(join(root, path))) return [];
  if (statSync(join(root, path)).isFile()) return [path];
  return readdirSync(join(root, path))
    .filter((name) => name !== 'node_modules')
    .sort()
    .flatMap((name) => filesIn(`${path}/${name}`));
};

const problemsOf = (file) => {
  const text = readFileSync(join(root, file), 'utf8');
  if (text.includes('\0')) return [];
  const lines = text.split('\n');
  const scopes = code.test(file) ? readCode(text) : { code: lines, names: [] };
  const inLine = (line, place, isWanted) =>
    matchesOf(line)
      .filter(({ entry, start, end }) => isWanted(entry) && !isExcepted(entry, file, line, start, end))
      .map(({ entry, start, end }) => `${place}: "${line.slice(start, end)}" → "${entry.use}"`);
  const inLines = (all, wanted) =>
    all.flatMap((line, index) => inLine(line, `${file}:${index + 1}`, ({ scope }) => scope === wanted));
  return [
    ...inLine(file, file, () => true),
    ...inLines(lines, undefined),
    ...inLines(scopes.code, 'code'),
    ...inLines(scopes.names, 'names'),
  ];
};

const problems = scanned.flatMap(filesIn).flatMap(problemsOf);
// An exception that nothing needs any more would hide the next violation.
const idle = entries
  .flatMap(({ except = [] }) => except)
  .filter((exception) => !used.has(exception))
  .map(({ text, in: paths = 'any file' }) => `vocabulary.json: nothing needs the exception "${text}" in ${[paths].flat().join(', ')}`);
const all = process.argv[2] === undefined ? [...problems, ...idle] : problems;
for (const problem of all) process.stdout.write(`${problem}\n`);
if (all.length > 0) {
  process.stdout.write(`${all.length} violations of the vocabulary: use the words of docs/glossary.md\n`);
  process.exitCode = 1;
}
