import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestCosts } from '../support/costs.ts';
import type { BenchReport } from './report.ts';

const shownFiles = 40;
const shownKinds = 25;

const seconds = (millis: number): string => `${(millis / 1000).toFixed(1)} s`;
const total = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

/** Runs `npm test` with its costs recorded. */
const record = (): readonly TestCosts[] => {
  const folder = mkdtempSync(join(tmpdir(), 'tollkeeper-costs-'));
  const path = join(folder, 'costs.jsonl');
  const { status } = spawnSync(
    'npx',
    ['--no-install', 'vitest', 'run', '--config', 'test/vitest.config.ts'],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, TOLLKEEPER_TESTS: 'in-process', TOLLKEEPER_TEST_COSTS: path },
    },
  );
  if (status !== 0) throw new Error(`the tests failed with exit code ${status}: run \`npm test\` to see why`);
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  rmSync(folder, { recursive: true });
  return lines.map((line) => JSON.parse(line) as TestCosts);
};

const sumKinds = (costs: readonly TestCosts[]): readonly (readonly [string, number])[] => {
  const sums = new Map<string, number>();
  for (const { main } of costs)
    for (const [kind, millis] of Object.entries(main)) sums.set(kind, (sums.get(kind) ?? 0) + millis);
  return [...sums].toSorted(([, left], [, right]) => right - left);
};

/** Which tests are expensive, and what their CPU is spent on. */
export const benchTests = (report: BenchReport): void => {
  const costs = record();
  const cpu = total(costs.map((one) => one.cpu));
  const kinds = sumKinds(costs);
  report.title(
    `tests: ${costs.length} files, ${seconds(cpu)} of CPU in their processes, the profiler included`,
  );
  for (const kind of ['databases', 'statements'] as const) {
    const count = total(costs.map(({ counts }) => counts[kind]));
    const waited = total(costs.map((one) => one.waited[kind]));
    report.row(`${kind} of DuckDB`, `${count}, waited for ${seconds(waited)}`);
  }
  report.row('requests answered', String(total(costs.map(({ counts }) => counts.requests))));
  report.title('CPU by what ran');
  const main = total(kinds.map(([, millis]) => millis));
  report.row('other threads (DuckDB, files, zlib)', seconds(Math.max(0, cpu - main)));
  for (const [kind, millis] of kinds.slice(0, shownKinds)) report.row(kind, seconds(millis));
  report.title('CPU by file, with databases, statements and requests');
  for (const { file, cpu: own, counts } of costs
    .toSorted((left, right) => right.cpu - left.cpu)
    .slice(0, shownFiles))
    report.row(
      file.replace(/^test\//, ''),
      `${seconds(own).padStart(8)} ${String(counts.databases).padStart(5)} ${String(counts.statements).padStart(6)} ${String(counts.requests).padStart(6)}`,
    );
};
