import { describe, expect, it } from 'vitest';
import {
  interval,
  money,
  startOfDay,
  subtractMoney,
  unixMillis,
  type Interval,
  type UnixSeconds,
} from '../../src/core/index.ts';
import type { JobAccount } from '../../src/jobs/index.ts';
import type { SandboxOptions } from '../../src/sandbox/index.ts';
import { now, textOf } from '../support/gateway-fixture.ts';
import { openJobFixture, type JobFixture, type RunChange } from '../support/job-fixture.ts';
import { sampled } from '../support/storm.ts';
import { reconcilePeriod, reconcileRange } from '../../src/reconcile/index.ts';

const since = '2026-11-10';
const hour = 3_600_000;
const range: Interval<UnixSeconds> = interval(
  startOfDay('2026-11-12', 'UTC'),
  startOfDay('2026-11-18', 'UTC'),
);

/** Snapshots around the span, then the log and the usage up to now. */
const fill = async ({ run, clock }: JobFixture, change: RunChange = {}): Promise<void> => {
  for (const at of ['2026-11-11T23:50:00Z', '2026-11-18T00:10:00Z']) {
    clock.set(Date.parse(at));
    await run('snapshot', {});
  }
  clock.set(now);
  await run('pull-logs', { since }, change);
  await run('pull-usage', { since, granularity: 'hour' });
};

const compare = async ({ context }: JobFixture) => {
  const { comparisons, notCompared, good, conclusion } = await reconcileRange(range, context);
  const totals = Object.fromEntries(
    comparisons.filter(({ entry }) => entry === undefined).map((one) => [one.source, one]),
  );
  return { comparisons, totals, notCompared, good, conclusion };
};

const verdictsOf = (totals: Readonly<Record<string, { readonly verdict: string }>>) =>
  Object.fromEntries(Object.entries(totals).map(([source, { verdict }]) => [source, verdict]));

const rounded = expect.stringMatching(/^(rounding|equal|late data)$/) as string;

const usual = {
  statistics: 'equal',
  'usage by model': 'equal',
  'usage by key': 'equal',
  used_quota: rounded,
  balance: rounded,
};

const usageOf = (verdict: string) => ({ 'usage by model': verdict, 'usage by key': verdict });

type Variants = NonNullable<SandboxOptions['variants']>;

/** What gateways do differently that touches a comparison, and what becomes of the usual verdicts; what can't hide another is met at once. */
const expected: readonly (readonly [Variants, Readonly<Record<string, string>>])[] = [
  [
    {
      statistics_range_end: 'inclusive',
      usage_layout: 'long',
      usage_time: 's',
      usage_header: 'named',
      usage_zero: 'blank',
    },
    {},
  ],
  [
    {
      log_range_end: 'inclusive',
      usage_layout: 'wide',
      usage_time: 'date',
      usage_buckets: 'missing',
      usage_other: 'always',
    },
    {},
  ],
  [
    {
      log_currency: 'CNY',
      usage_layout: 'transposed',
      usage_time: 'rfc3339',
      usage_header: 'named',
      usage_written: 'every-5-minutes',
      usage_range_end: 'inclusive',
    },
    {},
  ],
  [{ refund_rows: 'absent', kind_values: 'number', usage_layout: 'wide', usage_header: 'named' }, {}],
  [{ statistics_unit: 'CNY' }, { statistics: 'currency' }],
  [{ profile_currency: 'CNY' }, { used_quota: 'currency', balance: 'currency' }],
  [{ usage_unit: 'CNY', usage_layout: 'transposed' }, usageOf('currency')],
  [
    { statistics_unit: 'units', usage_refunds: 'excluded' },
    { statistics: 'currency', ...usageOf('refunds') },
  ],
  [
    { statistics_refunds: 'excluded', usage_unit: 'units' },
    { statistics: 'refunds', ...usageOf('currency') },
  ],
];

describe.each(sampled(expected, 4))('a gateway with %j', (variants, change) => {
  it('gets a verdict for every source and every entry (G4.3, G5.3, G7.9, G7.11)', async () => {
    await using fixture = await openJobFixture({ variants, callsPerDay: 60 });
    await fill(fixture);
    const { totals, comparisons, good, notCompared } = await compare(fixture);
    expect(verdictsOf(totals)).toEqual({ ...usual, ...change });
    expect(good).toBe(true);
    expect(notCompared).toEqual([]);
    const entries = comparisons.filter(({ entry }) => entry !== undefined);
    expect(entries.length).toBeGreaterThan(10);
    for (const one of entries) {
      const total = totals[one.source]?.verdict ?? '';
      expect(total === 'refunds' ? ['equal', 'refunds'] : [total]).toContain(one.verdict);
    }
    const stored = await fixture.context.warehouse.comparisons.list('main', { range });
    expect(stored).toEqual(expect.arrayContaining([...comparisons]));
    const units = await fixture.context.warehouse.comparisons.units('main');
    const unit = variants.statistics_unit ?? 'USD';
    expect(units.find(({ source }) => source === 'statistics')).toMatchObject({
      unit,
      perCurrency: { CNY: '7', units: '500000', USD: '1' }[unit],
      evidence: expect.stringContaining('"readings"') as string,
    });
  });
});

/** The account behind a gateway whose log export is changed line by line; the first line is the header. */
const withLines = (
  { context }: JobFixture,
  change: (lines: readonly string[]) => readonly string[],
  more: Partial<JobAccount['gateway']> = {},
): { readonly account: JobAccount } => {
  const { account } = context;
  const { gateway } = account;
  return {
    account: {
      ...account,
      gateway: {
        ...gateway,
        exportLogs: async (query, options) => {
          const answer = await gateway.exportLogs(query, options);
          const [header = '', ...rows] = (await textOf(answer.body)).trimEnd().split('\n');
          const text = [header, ...change(rows)].map((line) => `${line}\n`).join('');
          const body = async function* () {
            yield new TextEncoder().encode(text);
          };
          return { ...answer, body: body() };
        },
        ...more,
      },
    },
  };
};

/** Without each tenth call or so, the same ones whichever window is requested. */
const withHoles = (lines: readonly string[]): readonly string[] =>
  lines.filter(
    (line) =>
      Buffer.from(line).reduce((sum, byte) => sum + byte, 0) % 10 !== 4 || !line.includes('consumption'),
  );

const twice = (lines: readonly string[]): readonly string[] =>
  lines.flatMap((line, at) => (at % 10 === 4 ? [line, line] : [line]));

describe('a log with missing calls', () => {
  // No figure fits, so nothing shows what a source does with refunds, except the log in the other currency.
  const lacking: readonly (readonly [Variants, { readonly statistics: RegExp; readonly balance: RegExp }])[] =
    [
      [
        { statistics_unit: 'CNY', usage_unit: 'CNY', profile_currency: 'CNY' },
        { statistics: /^\d/, balance: /^-/ },
      ],
      [
        { statistics_unit: 'units', usage_refunds: 'excluded' },
        { statistics: /^unknown$/, balance: /^unknown$/ },
      ],
    ];
  it.each(sampled(lacking, 2))('is reported as truncated by every source with %j', async (variants, gaps) => {
    await using fixture = await openJobFixture({ variants, callsPerDay: 60 });
    await fill(fixture, withLines(fixture, withHoles));
    const { totals, good, conclusion, comparisons } = await compare(fixture);
    expect(new Set(Object.values(verdictsOf(totals)))).toEqual(new Set(['truncated']));
    expect(good).toBe(false);
    expect(conclusion).toContain('truncated');
    expect(totals['statistics']?.gap).toMatch(gaps.statistics);
    expect(totals['balance']?.gap).toMatch(gaps.balance);
    expect(comparisons.map(({ verdict }) => verdict)).not.toContain('unexplained');
  });

  it.each(sampled(['units', 'CNY'] as const, 2))(
    'is reported by the pull itself, which does not fail, where statistics are in %s',
    async (unit) => {
      await using fixture = await openJobFixture({ variants: { statistics_unit: unit }, callsPerDay: 60 });
      const whole = await fixture.run('pull-logs', { since: '2026-11-18' });
      expect(whole.figures['compared']).toBe('currency');
      expect(whole.summary).not.toContain('. ');
      const short = { ...fixture.context.account, name: 'short' };
      const change = withLines({ ...fixture, context: { ...fixture.context, account: short } }, withHoles);
      const holed = await fixture.run('pull-logs', { since: '2026-11-18' }, change);
      expect(holed.figures['compared']).toBe('truncated');
      expect(holed.summary).toMatch(
        /\. The log is incomplete: .* in the gateway’s statistics, .* is missing\.$/,
      );
      const [stored, ...others] = await fixture.context.warehouse.comparisons.list('short');
      expect(stored).toMatchObject({ source: 'statistics', verdict: 'truncated' });
      expect(others).toEqual([]);
    },
  );
});

it('a log with duplicate calls is unexplained, and so is one source that disagrees with the rest', async () => {
  await using fixture = await openJobFixture({ callsPerDay: 60 });
  await fill(fixture, withLines(fixture, twice));
  const doubled = await compare(fixture);
  expect(new Set(Object.values(verdictsOf(doubled.totals)))).toEqual(new Set(['unexplained']));
  fixture.clock.advance(1000);
  await fixture.run('pull-logs', { since }, { trigger: 'backfill', interval: again });
  const { context } = fixture;
  const series = { account: 'main', dimension: 'model', metric: 'spend', granularity: 'hour' } as const;
  const window = { start: unixMillis(range.start * 1000), end: unixMillis(range.end * 1000) };
  const values = await context.warehouse.usage.values(series, window);
  const largest = values.toSorted((left, right) => Number(right.value) - Number(left.value))[0];
  const changed = values.map((one) => (one === largest ? { ...one, value: money('0.01') } : one));
  const batch = {
    ...series,
    window,
    values: changed,
    layout: 'long',
    bytes: 0,
    unitsPerCurrency: 500_000,
    opensRange: false,
  };
  await context.warehouse.usage.landWindow(batch);
  const { totals, comparisons, good } = await compare(fixture);
  expect(verdictsOf(totals)).toEqual({ ...usual, 'usage by model': 'unexplained' });
  expect(good).toBe(false);
  const open = comparisons.filter(({ verdict }) => verdict === 'unexplained');
  expect(open.map(({ source, entry }) => [source, entry])).toEqual([
    ['usage by model', undefined],
    ['usage by model', largest?.entry],
  ]);
});

const again = interval(unixMillis(Date.parse(`${since}T00:00:00Z`)), unixMillis(now));

describe('late data', () => {
  it('explain a difference in time that landed while rows could still arrive', async () => {
    await using fixture = await openJobFixture({ callsPerDay: 300 });
    const { sandbox, clock, run, context } = fixture;
    const late = sandbox.truth
      .rows(range.start, range.end)
      .find((row) => row.visibleAt - row.createdAt > 200 && row.kind === 'consumption');
    if (late === undefined) throw new Error('no such row');
    clock.set((late.createdAt + 30) * 1000);
    expect((await run('pull-logs', { since, lag: '0s' })).figures['compared']).toBe('equal');
    clock.set(late.visibleAt * 1000 + hour);
    const to = interval(startOfDay('2026-11-12', 'UTC'), (late.createdAt + 30) as UnixSeconds);
    const { comparisons, good } = await reconcileRange(to, context);
    expect(comparisons[0]).toMatchObject({ source: 'statistics', verdict: 'late data' });
    expect(good).toBe(true);
  });

  it('explain growth of the statistics since they agreed with the landed rows', async () => {
    await using fixture = await openJobFixture({ callsPerDay: 60 });
    const { context, run } = fixture;
    const { gateway } = context.account;
    const statistics: typeof gateway.statistics = async (query, options) => {
      const { net } = await context.warehouse.comparisons.totals('main', {
        start: query.start,
        end: (query.end + 1) as UnixSeconds,
      });
      return { ...(await gateway.statistics(query, options)), quota: net };
    };
    const landed = await run('pull-logs', { since }, withLines(fixture, withHoles, { statistics }));
    expect(landed.figures['compared']).toBe('equal');
    const { totals } = await compare(fixture);
    expect(totals['statistics']).toMatchObject({
      verdict: 'late data',
      text: expect.stringContaining('have grown since') as string,
    });
  });

  it('explain a log that exceeds usage pulled before the last revisit', async () => {
    await using fixture = await openJobFixture({ callsPerDay: 60 });
    const { context, run, clock } = fixture;
    const { warehouse } = context;
    await run('pull-logs', { since }, withLines(fixture, withHoles));
    const hours = Array.from({ length: (range.end - range.start) / 3600 }, (_, at) =>
      interval((range.start + at * 3600) as UnixSeconds, (range.start + (at + 1) * 3600) as UnixSeconds),
    );
    const before = await warehouse.comparisons.entries('main', 'model', hours);
    await warehouse.usage.landWindow({
      account: 'main',
      dimension: 'model',
      metric: 'spend',
      granularity: 'hour',
      window: { start: unixMillis(range.start * 1000), end: unixMillis(range.end * 1000) },
      values: before.map(({ bucket, entry, net }) => ({
        bucket: unixMillis((range.start + bucket * 3600) * 1000),
        entry,
        value: net,
      })),
      layout: 'long',
      bytes: 0,
      unitsPerCurrency: 500_000,
      opensRange: true,
    });
    expect((await compare(fixture)).totals['usage by model']?.verdict).toBe('equal');
    clock.advance(1000);
    await run('pull-logs', { since }, { trigger: 'backfill', interval: again });
    const { totals, comparisons } = await compare(fixture);
    expect(totals['statistics']?.verdict).toBe('equal');
    expect(totals['usage by model']).toMatchObject({
      verdict: 'late data',
      text: expect.stringContaining('before it was pulled again') as string,
    });
    const entries = comparisons.filter(({ entry }) => entry !== undefined).map(({ verdict }) => verdict);
    expect(new Set(entries)).toEqual(new Set(['equal', 'late data']));
  });
});

describe('a statistics endpoint that fails', () => {
  it('fails neither the pull, which reports it, nor the comparison with other sources', async () => {
    await using fixture = await openJobFixture({ callsPerDay: 60 });
    fixture.sandbox.faults.plant({ kind: 'status', status: 503, path: '/api/log/self/stat', times: 99 });
    for (const at of [range.start - 600, range.end + 600]) {
      fixture.clock.set(at * 1000);
      // Fails for its statistics, after the profile was kept.
      await expect(fixture.run('snapshot', {})).rejects.toMatchObject({ code: 'gateway-server-error' });
    }
    fixture.clock.set(now);
    const pulled = await fixture.run('pull-logs', { since: '2026-11-09' });
    expect(pulled.summary).toMatch(/\. Not compared with statistics: /);
    expect(pulled.figures['compared']).toEqual(rounded);
    await fixture.run('pull-usage', { since, granularity: 'hour' });
    const { totals, notCompared, good } = await compare(fixture);
    expect(Object.keys(totals)).toEqual(['usage by model', 'usage by key', 'used_quota', 'balance']);
    expect(notCompared).toMatchObject([{ source: 'statistics' }]);
    expect(good).toBe(true);
    const period = await reconcilePeriod(range, fixture.context);
    expect(period).toMatchObject({ known: true, reconciliation: { verdict: 'equal', good: true } });
  });
});

it('a snapshot that does not count the calls of its last five minutes differs by late data', async () => {
  await using fixture = await openJobFixture({ callsPerDay: 1500 });
  const { account } = fixture.context;
  const missing = money(fixture.sandbox.truth.sums(range.end + 300, range.end + 600).net);
  const behind: JobAccount = {
    ...account,
    gateway: {
      ...account.gateway,
      profile: async (options) => {
        const profile = await account.gateway.profile(options);
        return { ...profile, usedQuota: subtractMoney(profile.usedQuota, missing) };
      },
    },
  };
  await fill({
    ...fixture,
    run: (kind, settings, change) =>
      fixture.run(
        kind,
        settings,
        fixture.clock.now() < range.end * 1000 ? change : { ...change, account: behind },
      ),
  });
  const { totals } = await compare(fixture);
  expect(missing).not.toBe('0');
  expect(totals['used_quota']?.verdict).toBe('late data');
});

it('a rising balance is not compared, with the reason, when the log shows no top-ups', async () => {
  await using fixture = await openJobFixture({ variants: { row_kinds: 'calls' }, callsPerDay: 60 });
  const paid = fixture.sandbox.truth.sums(range.start - 600, range.end + 600).topups;
  await fill(fixture);
  const { totals, good, notCompared } = await compare(fixture);
  expect(paid).not.toBe('0');
  expect(totals['used_quota']?.verdict).toEqual(rounded);
  expect(totals['balance']).toBeUndefined();
  expect(notCompared).toEqual([
    { source: 'balance', reason: expect.stringContaining('the log contains no top-ups') as string },
  ]);
  expect(good).toBe(true);
});

it('an account in CNY detects that the other sources use USD, and requests the log in USD only for that', async () => {
  await using fixture = await openJobFixture({ callsPerDay: 60 });
  const asked: string[] = [];
  const { gateway } = fixture.context.account;
  const account: JobAccount = {
    ...fixture.context.account,
    currency: 'CNY',
    gateway: {
      ...gateway,
      exportLogs: async (query, options) => {
        asked.push(query.currency);
        return gateway.exportLogs(query, options);
      },
    },
  };
  const yuan = { ...fixture, context: { ...fixture.context, account } };
  await fixture.run('pull-logs', { since }, { account });
  expect(asked).toContain('USD');
  asked.length = 0;
  const { totals, good } = await compare(yuan);
  expect(verdictsOf(totals)).toEqual({ statistics: 'currency' });
  expect(good).toBe(true);
  expect(asked).toEqual([]);
  const units = await fixture.context.warehouse.comparisons.units('main');
  expect(units.find(({ source }) => source === 'statistics')).toMatchObject({
    unit: 'USD',
    perCurrency: '0.142857142857',
  });
});

describe('the period of a report', () => {
  it('is compared up to the watermark of the log, and verified only when the log covers all of it', async () => {
    await using fixture = await openJobFixture({ callsPerDay: 60 });
    await fixture.run('pull-logs', { since });
    const period = (first: string, last: string) =>
      reconcilePeriod(interval(startOfDay(first, 'UTC'), startOfDay(last, 'UTC')), fixture.context);
    expect(await period('2026-11-12', '2026-11-20')).toMatchObject({
      known: true,
      reconciliation: { verdict: 'equal', good: true },
    });
    expect(await period('2026-11-08', '2026-11-12')).toMatchObject({
      known: true,
      reconciliation: {
        verdict: 'equal',
        good: false,
        text: expect.stringContaining('from 2026-11-10 00:00 UTC to 2026-11-12 00:00 UTC') as string,
      },
    });
    expect(await period('2026-11-20', '2026-11-22')).toMatchObject({ reconciliation: { good: false } });
    expect(await period('2026-11-01', '2026-11-05')).toEqual({
      known: false,
      reason: 'the call log has no data for the period',
    });
  });
});
