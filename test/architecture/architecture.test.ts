import { describe, expect, it } from 'vitest';
import { importsOf, readSources } from './imports.ts';
import {
  breaches,
  crumbs,
  engineBranches,
  importCycles,
  missingModules,
  overfullFolders,
  pastTheIndex,
  upwardImports,
} from './rules.ts';

const root = new URL('../../src', import.meta.url).pathname;

describe('the architecture', () => {
  it('follows the import table, the entry points and the one owner of each package and global', async () => {
    const sources = await readSources(root);
    expect(sources.length).toBeGreaterThan(50);
    expect(breaches(sources)).toEqual([]);
  });

  it('has no import cycle, no import upwards inside `app` and `keys`, no folder with more than 25 files, no small file with one importer, no module or registry in the tables that does not exist, and no decision by the engine of the database outside of the places for it', async () => {
    const sources = await readSources(root);
    expect(importCycles(sources)).toEqual([]);
    expect(upwardImports(sources)).toEqual([]);
    expect(overfullFolders(sources)).toEqual([]);
    expect(crumbs(sources)).toEqual([]);
    expect(missingModules(sources)).toEqual([]);
    expect(engineBranches(sources)).toEqual([]);
  });

  it('is named by tests through the index of a module, where it exports what they need', async () => {
    const sources = await readSources(root);
    const tests = await readSources(new URL('../', import.meta.url).pathname);
    expect(pastTheIndex(tests, sources)).toEqual([]);
    const [exported, own] = [
      `import { fault } from '../src/core/fault.ts';`,
      `import type { Paths } from '../src/app/data-folder/paths.ts';`,
    ];
    expect(pastTheIndex([{ path: 'x.test.ts', text: `${exported}\n${own}` }], sources)).toEqual([
      'x.test.ts: import core/fault.ts through core/index.ts',
    ]);
  });

  it('fails on a planted cycle of type-only imports', () => {
    const planted = [
      { path: 'core/a.ts', text: `import type { B } from './b.ts';` },
      { path: 'core/b.ts', text: `export { c } from './c.ts';` },
      { path: 'core/c.ts', text: `import type { A } from './a.ts';` },
    ];
    expect(importCycles(planted)).toEqual(['core/a.ts → core/b.ts → core/c.ts → core/a.ts']);
    expect(importCycles(planted.slice(0, 2))).toEqual([]);
  });

  it('fails on a planted import from a lower layer of a module to a higher one', () => {
    const planted = [
      { path: 'keys/retirement/a.ts', text: `import { b } from '../rotation/b.ts';` },
      { path: 'keys/rotation/b.ts', text: `import { c } from '../cycle/c.ts';` },
      { path: 'keys/cycle/c.ts', text: `import type { D } from '../d.ts';` },
      { path: 'keys/new/e.ts', text: `import { c } from '../cycle/c.ts';` },
      { path: 'app/queries/f.ts', text: `import type { App } from '../compose.ts';` },
      { path: 'app/control/g.ts', text: `import type { App } from '../compose.ts';` },
      { path: 'app/other.ts', text: '' },
    ];
    expect(upwardImports(planted)).toEqual([
      'keys/retirement/a.ts imports keys/rotation/b.ts',
      'keys/cycle/c.ts imports keys/d.ts',
      'keys/new/e.ts: no layer',
      'app/queries/f.ts imports app/compose.ts',
      'app/other.ts: no layer',
    ]);
  });

  it.each([
    [`if (config.settings.database === undefined) return [];`, 'decides by'],
    [`const { database, warehouse } = config.settings;`, 'decides by'],
    [`const f = ({ settings: { database } }: Config) => database;`, 'decides by'],
    [`type Deps = { readonly database: SharedDatabase | undefined };`, 'decides by'],
    [`const at = app.shared?.leases.extendedAt();`, 'decides by'],
    [`type Deps = { readonly stored: PostgresConnection };`, 'reaches into'],
  ])('fails on a planted decision by the engine: %s', (text, message) => {
    const places = ['app/control/x.ts', 'keys/x.ts', 'app/queries/x.ts', 'app/serve/x.ts'];
    const planted = places.map((path) => ({ path, text }));
    expect(engineBranches(planted)).toEqual(
      places.map((path) => expect.stringMatching(`^${path} ${message}`)),
    );
    expect(engineBranches([{ path: 'storage/postgres/x.ts', text: `type A = PostgresConnection;` }])).toEqual(
      [],
    );
    expect(
      engineBranches([{ path: 'app/compose.ts', text: `if (settings.database === undefined) open();` }]),
    ).toEqual([]);
  });

  it('fails on a planted folder with 26 files and on modules without sources', () => {
    const planted = Array.from({ length: 26 }, (_, index) => ({ path: `core/${index}.ts`, text: '' }));
    expect(overfullFolders(planted)).toEqual(['core: 26 files, at most 25']);
    expect(overfullFolders(planted.slice(1))).toEqual([]);
    expect(missingModules(planted)).toEqual(expect.arrayContaining(['warehouse', 'messages/locales.ts']));
  });

  it('fails on a planted file of 25 lines that one file imports', () => {
    const planted = (lines: number) => [
      { path: 'core/a.ts', text: 'x\n'.repeat(lines) },
      { path: 'core/b.ts', text: `import { a } from './a.ts';` },
    ];
    expect(crumbs(planted(25))).toEqual(['core/a.ts joins core/b.ts']);
    expect(crumbs(planted(26))).toEqual([]);
    expect(crumbs([...planted(25), { path: 'core/c.ts', text: `import { a } from './a.ts';` }])).toEqual([]);
  });

  it('covers imports in every form', () => {
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
      'reports/x.ts',
      `import { a } from '../gateway/index.ts';`,
      'reports may not import gateway',
    ],
    [
      'a type-only import of one',
      'ingest/x.ts',
      `import type { A } from '../gateway/index.ts';`,
      'may not import gateway',
    ],
    [
      'an import past the entry point',
      'gateway/x.ts',
      `import { a } from '../http/pool.ts';`,
      'is not the entry point of http',
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
      `import { a } from '../core/index.ts';`,
      'sandbox may not import core',
    ],
    ['a module that is not in the table', 'utils/x.ts', `export const a = 1;`, 'is not in the import table'],
    ['the wall clock', 'jobs/x.ts', `const t = Date.now();`, 'the wall clock has its home'],
    ...[
      `const f = (one: DuckDBConnection) => one;`,
      `const f = (one: Connection) => one.native.interrupt();`,
      `const f = ({ native }: Connection) => native.interrupt();`,
      `const f = (one: Connection) => one['native'].interrupt();`,
    ].map((text) => [
      'the native connection of DuckDB',
      'warehouse/x.ts',
      text,
      'has its home in storage/duckdb/',
    ]),
    ['the environment', 'config/x.ts', `const e = process.env['A'];`, 'process.env has its home'],
    ['console', 'jobs/x.ts', `console.log('x');`, 'console has its home'],
    ['randomness', 'http/x.ts', `const r = Math.random();`, 'Math.random has its home'],
    ['an import from outside src', 'core/x.ts', `import { a } from '../../test/x.ts';`, 'leads out of src'],
  ])('fails on planted %s', async (_, path, text, message) => {
    const sources = await readSources(root);
    expect(breaches([...sources, { path, text }]).join('\n')).toContain(message);
  });

  it('fails on a planted package in two modules', () => {
    const planted = [
      { path: 'http/a.ts', text: `import { request } from 'undici';` },
      { path: 'notify/b.ts', text: `import { request } from 'undici';` },
    ];
    expect(breaches(planted).join('\n')).toContain('package undici already lives in');
  });
});
