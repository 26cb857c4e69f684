import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { seedVariable } from '../support/fixed-seed.ts';
import { noPostgres } from '../support/postgres-cluster.ts';
import type { Mutant } from './mutant.ts';
import { mutants } from './mutants.ts';

/** Of all properties: whether a planted fault is found does not depend on chance. */
const seed = '20261125';

vi.setConfig({ testTimeout: 300_000 });

const project = fileURLToPath(new URL('../..', import.meta.url));
const copied = [
  'package.json',
  'tsconfig.json',
  'config',
  'docs',
  'fonts',
  'reports',
  'scripts',
  'src',
  'test',
];
let copy: string;
const isOfServer = (file: string): boolean => file.includes('.server.');
/** Without PostgreSQL its tests are skipped, and find no fault. */
const planted = mutants.filter(({ tests }) => noPostgres === undefined || !isOfServer(tests));

/** Runs tests in the copy. Gives whether they passed, and what they printed. */
const run = (
  files: readonly string[],
  ...options: readonly string[]
): Promise<{ readonly passed: boolean; readonly printed: string }> =>
  new Promise((resolve) => {
    const { TOLLKEEPER_STORM: _, ...inherited } = process.env;
    const tier = files.some(isOfServer) ? 'system' : 'in-process';
    const env = { ...inherited, TOLLKEEPER_TESTS: tier, [seedVariable]: seed };
    const vitest = join('node_modules', 'vitest', 'vitest.mjs');
    // A planted fault changes one file: compiling all others takes longer than the tests.
    const cached = [
      '--experimental.fsModuleCache',
      `--experimental.fsModuleCachePath=${join(copy, 'compiled')}`,
    ];
    execFile(
      process.execPath,
      [vitest, 'run', '--config', 'test/vitest.config.ts', ...cached, ...options, ...files],
      { cwd: copy, env, maxBuffer: 64 * 2 ** 20 },
      (error, stdout, stderr) => resolve({ passed: error === null, printed: stdout + stderr }),
    );
  });

/** Plants the fault and returns what removes it. @throws Error when the file does not contain the text exactly once */
const plant = async ({ file, from, to }: Mutant): Promise<() => Promise<void>> => {
  const path = join(copy, 'src', file);
  const text = await readFile(path, 'utf8');
  if (text.split(from).length !== 2) throw new Error(`src/${file} does not contain once: ${from}`);
  await writeFile(
    path,
    text.replace(from, () => to),
  );
  return async () => writeFile(path, text);
};

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'tollkeeper-mutants-'));
  for (const name of copied) await cp(join(project, name), join(copy, name), { recursive: true });
  await symlink(join(project, 'node_modules'), join(copy, 'node_modules'));
});
afterAll(() => rm(copy, { recursive: true, force: true }));

describe('the tests that npm test selects', () => {
  it('pass without a planted fault', async () => {
    const files = [...new Set(mutants.map(({ tests }) => tests))];
    const [ofServers, others] = [isOfServer, (file: string) => !isOfServer(file)].map((is) =>
      files.filter(is),
    );
    for (const some of [ofServers, others]) {
      const { passed, printed } = await run(some ?? []);
      expect(passed, printed).toBe(true);
    }
  });

  it.each(planted)('fail when $name', async (one) => {
    const remove = await plant(one);
    try {
      const { passed, printed } = await run([one.tests], '--bail=1', '--testTimeout=30000');
      expect(passed, printed).toBe(false);
      // It is a test that fails, not the copy that cannot be run.
      expect(printed).toMatch(/Tests .*\d+ failed/);
    } finally {
      await remove();
    }
  });
});
