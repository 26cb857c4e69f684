import { spawn } from 'node:child_process';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { seedVariable } from '../support/fixed-seed.ts';
import { noPostgres } from '../support/postgres-cluster.ts';
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
const isOfServer = (file: string): boolean => file.includes('.server.');
/** Without PostgreSQL its tests are skipped, and find no fault. */
const planted = mutants.filter(({ tests }) => noPostgres === undefined || !isOfServer(tests));

/** What scripts/planter.mjs answers: how many tests passed and failed, or why none ran. */
type Outcome = {
  readonly passed?: number;
  readonly failed?: number;
  readonly printed?: string;
  readonly error?: string;
};
type Planting = {
  readonly file: string;
  readonly from?: string;
  readonly to?: string;
  readonly tests: readonly string[];
};
type Planter = AsyncDisposable & { readonly run: (planting: Planting) => Promise<Outcome> };

/** A vitest over the copy of the project that runs tests of one tier, with a planted fault or without. */
const startPlanter = (copy: string, tier: string): Planter => {
  const { TOLLKEEPER_STORM: _, ...inherited } = process.env;
  const child = spawn(process.execPath, ['scripts/planter.mjs'], {
    cwd: copy,
    env: { ...inherited, TOLLKEEPER_TESTS: tier, [seedVariable]: seed },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    run: async (planting) => {
      child.stdin.write(`${JSON.stringify(planting)}\n`);
      const { value = '{"error":"the planter has ended"}' } = (await answers.next()) as {
        readonly value?: string;
      };
      return JSON.parse(value) as Outcome;
    },
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await ended;
    },
  };
};

let copy: string;
let planters: Readonly<Record<'system' | 'in-process', Planter>>;
const planterOf = (tests: string): Planter => planters[isOfServer(tests) ? 'system' : 'in-process'];

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'tollkeeper-mutants-'));
  for (const name of copied) await cp(join(project, name), join(copy, name), { recursive: true });
  await symlink(join(project, 'node_modules'), join(copy, 'node_modules'));
  planters = { system: startPlanter(copy, 'system'), 'in-process': startPlanter(copy, 'in-process') };
});
afterAll(async () => {
  for (const planter of Object.values(planters)) await planter[Symbol.asyncDispose]();
  await rm(copy, { recursive: true, force: true });
});

describe('the tests that npm test selects', () => {
  it.each(['in-process', 'system'] as const)('of the tier %s pass without a planted fault', async (tier) => {
    const tests = [...new Set(planted.map((one) => one.tests))].filter(
      (file) => isOfServer(file) === (tier === 'system'),
    );
    if (tests.length === 0) return;
    expect(await planters[tier].run({ file: '', tests })).toMatchObject({ failed: 0, printed: '' });
  });

  it.each(planted)('fail when $name', async ({ tests, ...fault }) => {
    const outcome = await planterOf(tests).run({ ...fault, tests: [tests] });
    expect(outcome.failed, JSON.stringify(outcome)).toBeGreaterThan(0);
  });
});
