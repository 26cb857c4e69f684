import { expect, it } from 'vitest';
import { interval, startOfDay } from '../../src/core/index.ts';
import { now, textOf } from '../support/gateway-fixture.ts';
import { openJobFixture } from '../support/job-fixture.ts';
import { reconcileRange } from '../../src/reconcile/index.ts';

const since = '2026-11-15';
const range = interval(startOfDay('2026-11-16', 'UTC'), startOfDay('2026-11-18', 'UTC'));

/** A body of CSV with every tenth of its calls. */
const fewLines = (text: string): string => {
  const [header = '', ...rows] = text.trimEnd().split('\n');
  return [header, ...rows.filter((row, at) => at % 10 === 0 || !row.includes('consumption'))]
    .map((line) => `${line}\n`)
    .join('');
};

it('a log that lacks nine of ten calls is truncated in the currency of the sources', async () => {
  await using fixture = await openJobFixture({ callsPerDay: 60 });
  const { account } = fixture.context;
  const short = {
    ...account,
    gateway: {
      ...account.gateway,
      exportLogs: async (...asked: Parameters<typeof account.gateway.exportLogs>) => {
        const answer = await account.gateway.exportLogs(...asked);
        const text = fewLines(await textOf(answer.body));
        const body = async function* () {
          yield new TextEncoder().encode(text);
        };
        return { ...answer, body: body() };
      },
    },
  };
  for (const at of ['2026-11-15T23:50:00Z', '2026-11-18T00:10:00Z']) {
    fixture.clock.set(Date.parse(at));
    await fixture.run('snapshot', {});
  }
  fixture.clock.set(now);
  await fixture.run('pull-logs', { since }, { account: short });
  await fixture.run('pull-usage', { since, granularity: 'hour' });
  const { comparisons } = await reconcileRange(range, { ...fixture.context, account: short });
  const totals = comparisons.filter(({ entry }) => entry === undefined);
  expect(totals.map(({ source }) => source).toSorted()).toEqual([
    'balance',
    'statistics',
    'usage by key',
    'usage by model',
    'used_quota',
  ]);
  for (const { unit, text, ours } of totals) {
    expect([unit, text]).toEqual(['USD', expect.stringContaining('USD') as string]);
    expect(text).toMatch(new RegExp(`${ours.replace('.', '\\.')} (USD )?in the log`));
    expect(text).not.toContain('units');
  }
  expect(new Set(totals.map(({ verdict }) => verdict))).toEqual(new Set(['truncated']));
});
