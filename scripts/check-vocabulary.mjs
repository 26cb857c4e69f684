// Finds words that the glossary replaces, in names, texts and names of files: `node scripts/check-vocabulary.mjs [FOLDER]`.
// The words are data: vocabulary.json beside this script. An entry lists `words` (single words or phrases, found inside camelCase, snake_case
// and kebab-case names too) or an `ending` of names, the word to `use`, and exceptions: an exact `text`, the path it is `in`, and a `reason`.
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
  for (const words of entry.words ?? []) {
    const [first, ...rest] = words.split(' ');
    phrases.set(first, [...(phrases.get(first) ?? []), { entry, rest }]);
  }
const endings = entries
  .filter(({ ending }) => ending !== undefined)
  .map((entry) => ({ entry, pattern: new RegExp(`\\b\\w*[a-z0-9]${entry.ending}\\b`, 'g') }));

const used = new Set();

/** Whether an exception of the entry covers these positions of the line. */
const isExcepted = ({ except = [] }, file, line, start, end) =>
  except.some((exception) => {
    if (!file.startsWith(exception.in ?? '')) return false;
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
const withoutComments = (text) =>
  text.replaceAll(/^\s*\/\*[^]*?\*\//gm, blank).replaceAll(/(?<=^|\s)\/\/ .*$/gm, blank);

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
  const bare = code.test(file) ? withoutComments(text).split('\n') : lines;
  const inLine = (line, place, isWanted) =>
    matchesOf(line)
      .filter(({ entry, start, end }) => isWanted(entry) && !isExcepted(entry, file, line, start, end))
      .map(({ entry, start, end }) => `${place}: "${line.slice(start, end)}" → "${entry.use}"`);
  return [
    ...inLine(file, file, () => true),
    ...lines.flatMap((line, index) => inLine(line, `${file}:${index + 1}`, ({ comments }) => comments !== false)),
    ...bare.flatMap((line, index) => inLine(line, `${file}:${index + 1}`, ({ comments }) => comments === false)),
  ];
};

const problems = scanned.flatMap(filesIn).flatMap(problemsOf);
// An exception that nothing needs any more would hide the next violation.
const idle = entries
  .flatMap(({ except = [] }) => except)
  .filter((exception) => !used.has(exception))
  .map(({ text, in: path = 'any file' }) => `vocabulary.json: nothing needs the exception "${text}" in ${path}`);
const all = process.argv[2] === undefined ? [...problems, ...idle] : problems;
for (const problem of all) process.stdout.write(`${problem}\n`);
if (all.length > 0) {
  process.stdout.write(`${all.length} violations of the vocabulary: use the words of docs/glossary.md\n`);
  process.exitCode = 1;
}
