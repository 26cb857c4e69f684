import { describe, expect, it } from 'vitest';
import { interval, localDays, startOfDay } from '../../../src/core/index.ts';
import type { SandboxOptions } from '../../../src/sandbox/index.ts';
import { composeReport } from '../../../src/jobs/index.ts';
import { openJobFixture, type JobFixture } from '../../support/job-fixture.ts';
import { sampled } from '../../support/storm.ts';

type Variants = NonNullable<SandboxOptions['variants']>;

const since = '2026-11-18';
const period = { from: since, to: '2026-11-21' };
const range = interval(startOfDay(period.from, 'UTC'), startOfDay(period.to, 'UTC'));

const byKind = async ({ context }: JobFixture): Promise<Readonly<Record<string, readonly string[]>>> => {
  const periods = [{ name: 'current' as const, days: localDays(period.from, '2026-11-20', 'UTC') }];
  const { rows } = await context.warehouse.readCube(
    { account: 'main', periods, timeLimit: 3_600_000 },
    async (query) =>
      query('SELECT kind, sum(rows), sum(calls), sum(amount) FROM cube GROUP BY kind ORDER BY kind'),
  );
  return Object.fromEntries(rows.map(([kind, ...sums]) => [String(kind), sums.map(String)]));
};

/** What the sandbox knows of the same span: rows by kind. */
const truthOf = ({ sandbox }: JobFixture): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { kind } of sandbox.truth.rows(range.start, range.end))
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
};

const notesOf = async (fixture: JobFixture): Promise<string> =>
  (await composeReport({ report: 'spend-summary', period }, fixture.context)).rendered.text;

const unclearNote = 'no column of the log';

/** Gateways whose rows can be told apart, though no column is named for the kind in words that are known. */
const notification: readonly Variants[] = [
  { kind_column: 'absent' },
  { kind_column: 'absent', status_column: 'own-word' },
  { kind_column: 'absent', status_column: 'number' },
  { kind_values: 'own-word' },
  { kind_column: 'dropped' },
  { kind_column: 'dropped', status_column: 'number' },
];

describe.each(sampled(notification, 6))('a log export with %j', (variants) => {
  it('has its errors and calls counted as such, without a note in the reports (G6.10)', async () => {
    await using fixture = await openJobFixture({ variants, callsPerDay: 300 });
    await fixture.run('pull-logs', { since, window: '1d' });
    const found = await byKind(fixture);
    const truth = truthOf(fixture);
    expect(truth.get('error')).toBeGreaterThan(3);
    expect(Number(found['error']?.[0])).toBe(truth.get('error'));
    expect(found['consumption']?.slice(0, 2)).toEqual([
      String(truth.get('consumption')),
      String(truth.get('consumption')),
    ]);
    expect(Number(found['refund']?.[0] ?? 0)).toBe(truth.get('refund') ?? 0);
    expect(await fixture.context.warehouse.logs.unclear('main', range)).toBe(0);
    expect(await notesOf(fixture)).not.toContain(unclearNote);
  });
});

describe.each(
  sampled<Variants>(
    [
      { kind_column: 'absent', status_column: 'absent' },
      { kind_column: 'dropped', status_column: 'absent' },
    ],
    2,
  ),
)('a log export with ambiguous kinds and %j', (variants) => {
  it('has its possible errors counted as calls, and every report states their number', async () => {
    await using fixture = await openJobFixture({ variants, callsPerDay: 300 });
    await fixture.run('pull-logs', { since, window: '1d' });
    const truth = truthOf(fixture);
    const found = await byKind(fixture);
    const unclear = await fixture.context.warehouse.logs.unclear('main', range);
    expect(unclear).toBeGreaterThan(0);
    expect(Number(found['consumption']?.[1])).toBe((truth.get('consumption') ?? 0) + unclear);
    expect(Number(found['error']?.[0] ?? 0) + unclear).toBe(truth.get('error'));
    // What names neither model nor key is no call, whatever it is.
    const topUps = fixture.sandbox.truth.sums(range.start, range.end).topups;
    expect(found['top-up']?.[2] ?? '0').toBe(topUps);
    const text = await notesOf(fixture);
    expect(text).toContain(`The calls include ${unclear} row`);
    expect(text).toContain(unclearNote);
  });
});
