import { describe, expect, it } from 'vitest';
import { importsOf, readSources } from './imports.ts';
import { breaches } from './rules.ts';

const root = new URL('../../src', import.meta.url).pathname;

describe('the architecture', () => {
  it('keeps to its import table, its entry points and its one home for each package and global', async () => {
    const sources = await readSources(root);
    expect(sources.length).toBeGreaterThan(50);
    expect(breaches(sources)).toEqual([]);
  });

  it('sees imports in every form', () => {
    const text = `
      import a from './a.ts';
      import type { B } from "./b.ts";
      export * from './c.ts';
      export { d,
        e } from './d.ts';
      const f = await import('./f.ts');
      const font = import.meta.resolve('@scope/fonts/one.ttf');
      import './g.ts';
      // import x from './not-this.ts';
      /* import y from './nor-this.ts'; */`;
    expect([...importsOf(text)].sort()).toEqual(
      ['./a.ts', './b.ts', './c.ts', './d.ts', './f.ts', './g.ts', '@scope/fonts/one.ttf'].sort(),
    );
  });

  it.each([
    [
      'a forbidden module',
      'report/x.ts',
      `import { a } from '../gateway/index.ts';`,
      'report may not import gateway',
    ],
    [
      'a type-only import of one',
      'ingest/x.ts',
      `import type { A } from '../gateway/index.ts';`,
      'may not import gateway',
    ],
    [
      'a way around the entry point',
      'gateway/x.ts',
      `import { a } from '../net/pool.ts';`,
      'is not the entry point of net',
    ],
    [
      'the sandbox in the product',
      'app/x.ts',
      `import { a } from '../sandbox/index.ts';`,
      'may not import sandbox',
    ],
    [
      'the sandbox in another command',
      'cli/run/command.ts',
      `import { a } from '../../sandbox/index.ts';`,
      'only demo/ and cli/sandbox/',
    ],
    [
      'the client in the sandbox',
      'sandbox/x.ts',
      `import { a } from '../base/index.ts';`,
      'sandbox may not import base',
    ],
    ['a module that is not in the table', 'utils/x.ts', `export const a = 1;`, 'is no module'],
    ['the wall clock', 'jobs/x.ts', `const t = Date.now();`, 'the wall clock has its home'],
    ['the environment', 'config/x.ts', `const e = process.env['A'];`, 'process.env has its home'],
    ['console', 'jobs/x.ts', `console.log('x');`, 'console has its home'],
    ['randomness', 'net/x.ts', `const r = Math.random();`, 'Math.random has its home'],
    ['an import from outside src', 'base/x.ts', `import { a } from '../../test/x.ts';`, 'leads out of src'],
  ])('finds %s when it is planted', async (_, path, text, words) => {
    const sources = await readSources(root);
    expect(breaches([...sources, { path, text }]).join('\n')).toContain(words);
  });

  it('finds a package in two modules when it is planted', () => {
    const planted = [
      { path: 'net/a.ts', text: `import { request } from 'undici';` },
      { path: 'mail/b.ts', text: `import { request } from 'undici';` },
    ];
    expect(breaches(planted).join('\n')).toContain('package undici already lives in');
  });
});
