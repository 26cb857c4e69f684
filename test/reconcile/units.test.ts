import { describe, expect, it } from 'vitest';
import { interval, startOfDay } from '../../src/core/index.ts';
import { now, textOf } from '../support/gateway-fixture.ts';
import { openJobFixture } from '../support/job-fixture.ts';
import { reconcilePeriod, reconcileRange } from '../../src/reconcile/index.ts';

const since = '2026-11-15';
const range = interval(startOfDay('2026-11-16', 'UTC'), startOfDay('2026-11-18', 'UTC'));

/** A body of CSV with every tenth of its calls. */
const fewLines = (text: string): string => {
  const [header = '', ...rows] = text.trimEnd().split('\n');
  return [header, ...rows.filter((row, at) => at % 10 === 0 || !row.includes('consumption'))]
    .map((line) => `${line}\n`)
    .join('');
};

type Fixture = Awaited<ReturnType<typeof openJobFixture>>;

/** The account of a gateway whose exports of the call log are changed. */
const withLogs = ({ context }: Fixture, change: (text: string) => string): Fixture['context']['account'] => {
  const { account } = context;
  return {
    ...account,
    gateway: {
      ...account.gateway,
      exportLogs: async (...asked: Parameters<typeof account.gateway.exportLogs>) => {
        const answer = await account.gateway.exportLogs(...asked);
        const text = change(await textOf(answer.body));
        const body = async function* () {
          yield new TextEncoder().encode(text);
        };
        return { ...answer, body: body() };
      },
    },
  };
};

/** A row that cannot be read, after the header. */
const withJunk = (text: string): string => text.replace('\n', '\nprivate-row,x\n');

describe('with rows in quarantine', () => {
  const pull = async (fixture: Fixture, account: Fixture['context']['account']) => {
    await fixture.run('pull-logs', { since, bad_rows: 'quarantine' }, { account });
    return { ...fixture.context, account };
  };

  it('a real gap is found although the log in the other currency has such rows too', async () => {
    await using fixture = await openJobFixture({ callsPerDay: 60 });
    const context = await pull(
      fixture,
      withLogs(fixture, (text) => withJunk(fewLines(text))),
    );
    const { comparisons, notCompared, conclusion, good } = await reconcileRange(range, context);
    expect(comparisons.map(({ source, verdict }) => [source, verdict])).toContainEqual([
      'statistics',
      'truncated',
    ]);
    expect(good).toBe(false);
    expect(conclusion).toMatch(/ rows? of the log could not be read/);
    expect(JSON.stringify([comparisons, notCompared, conclusion])).not.toContain('private-row');
  });

  it('nothing is reconciled, even if all figures are equal', async () => {
    await using fixture = await openJobFixture({ callsPerDay: 60 });
    const context = await pull(fixture, withLogs(fixture, withJunk));
    const { comparisons, unread, good } = await reconcileRange(range, context);
    expect(comparisons.map(({ verdict }) => verdict)).toContain('equal');
    expect([unread > 0, good]).toEqual([true, false]);
    const period = await reconcilePeriod(range, context);
    expect(period).toMatchObject({ known: true, unread, reconciliation: { verdict: 'equal', good: false } });
  });

  it('an export that cannot be read at all is named without its rows', async () => {
    await using fixture = await openJobFixture({ callsPerDay: 60 });
    await fixture.run('pull-logs', { since }, { account: withLogs(fixture, fewLines) });
    const broken = withLogs(fixture, (text) => text.replace('\n', '\nprivate-row,"x\n'));
    const { notCompared } = await reconcileRange(range, { ...fixture.context, account: broken });
    expect(notCompared.map(({ source }) => source)).toContain('statistics');
    expect(JSON.stringify(notCompared)).toContain('the call log in CNY cannot be read');
    expect(JSON.stringify(notCompared)).not.toContain('private-row');
  });
});

it('a log that lacks nine of ten calls is truncated in the currency of the sources', async () => {
  await using fixture = await openJobFixture({ callsPerDay: 60 });
  const short = withLogs(fixture, fewLines);
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
