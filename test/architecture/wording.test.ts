import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { localeTags } from '../../src/core/index.ts';
import { readSources, type SourceFile } from './imports.ts';
import { allowedSentences } from './allowed-sentences.ts';
import { assertionsOf, sentencesOf } from './wording.ts';

const folder = fileURLToPath(new URL('../', import.meta.url));
const sources = (await readSources(folder)).filter(({ path }) => !path.startsWith('architecture/fixtures/'));
const approvedFiles = (await readdir(`${folder}approved`, { recursive: true, withFileTypes: true })).flatMap(
  (entry) =>
    entry.isFile() ? `${entry.parentPath.slice(folder.length)}/${entry.name}`.replace('approved/', '') : [],
);

/** Where sentences are the subject: figures and faults of a whole account, and what storms break. */
const apart = /^(?:(?:figures|storm|fuzz|reconcile|mutants|bench)\/|architecture\/wording)/;

/** What is wrong with approved files and their assertions. */
const faultsOf = (files: readonly string[], tests: readonly SourceFile[]): readonly string[] => {
  const assertions = tests.flatMap(({ path, text }) =>
    text.includes('approved(') && path !== 'support/approved.ts' ? assertionsOf(path, text) : [],
  );
  const expected = assertions.flatMap(({ area, inEach }) =>
    (inEach ? localeTags : (['en'] as const)).map((tag) => `${tag}/${area}.txt`),
  );
  const asserted = new Map<string, number>();
  for (const file of expected) asserted.set(file, (asserted.get(file) ?? 0) + 1);
  return [
    ...assertions.flatMap(({ path, area }) => (area === undefined ? `${path} asserts no area by name` : [])),
    ...[...asserted].flatMap(([file, times]) => (times > 1 ? `${file} is asserted twice` : [])),
    ...files.flatMap((file) => (asserted.has(file) ? [] : `${file} is asserted by no test`)),
    ...[...asserted.keys()].flatMap((file) => (files.includes(file) ? [] : `${file} is missing`)),
  ];
};

const asserting = (...areas: readonly string[]): SourceFile => ({
  path: 'planted.test.ts',
  text: areas.map((area) => `await expect('…').toMatchFileSnapshot(approved(${area}));`).join('\n'),
});

it('each approved file is asserted by one test', () => {
  expect(faultsOf(approvedFiles, sources)).toEqual([]);
});

it.each([
  [
    'a file without a test',
    ['en/mails.txt', 'en/old.txt'],
    [`'mails'`],
    ['en/old.txt is asserted by no test'],
  ],
  [
    'a file that two tests write',
    ['en/mails.txt'],
    [`'mails'`, `'mails'`],
    ['en/mails.txt is asserted twice'],
  ],
  ['a language without a file', ['en/a.txt', 'de/a.txt'], [`'a', tag`], ['zh/a.txt is missing']],
  ['an area that is computed', [], ['name'], ['planted.test.ts asserts no area by name']],
] as const)('the guard of approved files finds %s', (_, files, areas, found) => {
  expect(faultsOf(files, [asserting(...areas)])).toEqual(expect.arrayContaining([...found]));
});

it('no test but one of an approved file compares sentences, apart from a list that only gets shorter', () => {
  const counted = sources.flatMap(({ path, text }) => {
    const found = apart.test(path) ? [] : sentencesOf(path, text);
    return found.length === 0 ? [] : [[path, found.length] as const];
  });
  expect(Object.fromEntries(counted)).toEqual(allowedSentences);
});

it.each([
  ['a matcher', `expect(words).toBe('the log ends before the day that it covers')`],
  ['a pattern', 'expect(words).toMatch(/the log ends before the day that it covers/)'],
  ['a part of an object', `expect(it).toEqual({ why: 'the log ends before the day that it covers' })`],
  ['a constant', `const why = 'the log ends before the day that it covers'; expect(words).toContain(why);`],
  ['a table', `it.each([['late', 'the log ends before the day that it covers']])('%s', () => {})`],
  [
    'a named table',
    `const all = [['late', 'the log ends before the day that it covers']]; it.each(all)('%s', f)`,
  ],
  ['a template', 'expect(words).toBe(`the log ends ${by} before the day that it covers`)'],
])('the guard of sentences finds one in %s', (_, text) => {
  expect(sentencesOf('planted.ts', text)).toHaveLength(1);
});

it.each([
  ['a title', `it('the log ends before the day that it covers', () => {})`],
  ['the input of a test', `land('the log ends before the day that it covers')`],
  ['five words', `expect(words).toBe('the log ends too early')`],
  ['a command', `expect(words).toBe('tollkeeper query --file a.sql --format csv --out b.csv --force')`],
  ['SQL', `expect(sql).toBe('SELECT a FROM b WHERE c IS NOT NULL ORDER BY d')`],
])('the guard of sentences accepts %s', (_, text) => {
  expect(sentencesOf('planted.ts', text)).toEqual([]);
});
