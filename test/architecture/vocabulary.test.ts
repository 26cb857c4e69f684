import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const scripts = fileURLToPath(new URL('../../scripts/', import.meta.url));

type Entry = {
  readonly terms?: readonly string[];
  readonly ending?: string;
  readonly use: string;
  readonly except?: readonly { readonly text: string; readonly reason: string }[];
};
const entries = JSON.parse(await readFile(join(scripts, 'vocabulary.json'), 'utf8')) as readonly Entry[];

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollkeeper-vocabulary-'));
});
afterEach(() => rm(folder, { recursive: true }));

const plant = async (path: string, text: string): Promise<void> => {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
};

const check = async (): Promise<{ readonly code: number; readonly output: string }> => {
  try {
    const { stdout } = await run(process.execPath, [join(scripts, 'check-vocabulary.mjs'), folder]);
    return { code: 0, output: stdout };
  } catch (error) {
    const { code, stdout } = error as { readonly code: number; readonly stdout: string };
    return { code, output: stdout };
  }
};

const single = entries.find(({ terms, except }) => terms?.length === 2 && except === undefined);
const word = single?.terms?.[0] ?? '';
const capital = `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
const phrase = entries.flatMap(({ terms }) => terms ?? []).find((message) => message.includes(' ')) ?? '';

describe('the vocabulary check', () => {
  it('has a list of at least 60 words, each with the word to use, and a reason for each exception', () => {
    expect(entries.length).toBeGreaterThanOrEqual(60);
    const listed = entries.flatMap(({ terms, ending }) => terms ?? [ending ?? '']);
    expect(new Set(listed).size).toBe(listed.length);
    for (const { use, except = [] } of entries) {
      expect(use).not.toBe('');
      for (const { text, reason } of except) expect([text, reason]).not.toContain('');
    }
  });

  it('accepts a folder without listed words', async () => {
    await plant('src/keys/service.ts', 'export const service = 1;\n');
    expect(await check()).toEqual({ code: 0, output: '' });
  });

  it.each([
    ['an identifier', 'src/x.ts', `const open${capital}Now = 1;`],
    ['a constant', 'src/x.ts', `const MAX_${word.toUpperCase()}_AGE = 1;`],
    ['a text', 'test/x.ts', `expect('the ${word} is open');`],
    ['SQL in a text', 'src/x.ts', `const sql = \`SELECT ${word}_id FROM t\`;`],
    ['a page', 'docs/glossary.md', `Open the ${word}.`],
    ['a setting', 'config/x.yaml', `${word}: 1`],
    ['the README', 'README.md', `The ${word}.`],
  ])('reports a listed word in %s', async (_, path, text) => {
    await plant(path, `\n${text}\n`);
    const { code, output } = await check();
    expect(code).toBe(1);
    expect(output.toLowerCase()).toContain(`${path}:2: "${word}" → "${single?.use ?? ''}"`.toLowerCase());
  });

  it('reports a listed word in a file name', async () => {
    await plant(`src/open-${word}.ts`, '');
    expect(await check()).toMatchObject({
      code: 1,
      output: expect.stringContaining(`src/open-${word}.ts: `),
    });
  });

  it('reports a phrase in an identifier', async () => {
    const [first = '', ...rest] = phrase.split(' ');
    const name = [first, ...rest.map((part) => part.charAt(0).toUpperCase() + part.slice(1))].join('');
    await plant('src/x.ts', `export const ${name} = 1;\n`);
    expect(await check()).toMatchObject({
      code: 1,
      output: expect.stringContaining(`src/x.ts:1: "${name}"`),
    });
  });

  it('reports a name with a listed ending', async () => {
    const ending = entries.find((entry) => entry.ending !== undefined)?.ending ?? '';
    await plant('src/x.ts', `type Sink${ending} = 1;\n`);
    expect(await check()).toMatchObject({
      code: 1,
      output: expect.stringContaining(`src/x.ts:1: "Sink${ending}"`),
    });
  });
});
