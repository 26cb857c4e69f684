import { expect, it } from 'vitest';
import { silentLog, type Log } from '../../../src/core/index.ts';
import { pullLogs, type LogPull } from '../../../src/ingest/index.ts';
import type { Warehouse } from '../../../src/warehouse/index.ts';
import { logSource, plainStyle, type SourceRow, type SourceStyle } from '../call-log/log-source.ts';
import { approved, titled } from '../../support/approved.ts';
import { base, pullOf, setUp } from '../support.ts';

const row = (change: Partial<SourceRow>): SourceRow => ({
  at: base + 60,
  model: 'm',
  token: 'k',
  prompt: 1,
  quota: '0.5',
  kind: '2',
  ...change,
});

const rows = [
  row({}),
  row({ at: base + 21_600, quota: '1.25' }),
  row({ at: base + 30_000, kind: '6', quota: '-0.5' }),
];

const valuesOf = async (warehouse: Warehouse): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries((await warehouse.profile.points('main')).map(({ point, value }) => [point, value]));

/** What one pull of the rows teaches. */
const taught = async (
  style: Partial<SourceStyle>,
  { source = rows, ...change }: Partial<LogPull> & { readonly source?: readonly SourceRow[] } = {},
) => {
  await using fixture = await setUp(source, style);
  await pullLogs(pullOf(fixture.folder, fixture.warehouse, fixture.source, change));
  return {
    values: await valuesOf(fixture.warehouse),
    points: await fixture.warehouse.profile.points('main'),
  };
};

/** Other forms of an export than the plain one. */
const styles: Readonly<Record<string, Partial<SourceStyle>>> = {
  milliseconds: { time: (at) => String(at * 1000) },
  'RFC 3339': { time: (at) => new Date(at * 1000).toISOString() },
  microseconds: { time: (at) => `${at}000001` },
  nanoseconds: { time: (at) => `${at}999999999` },
  'fractions of seconds': { time: (at) => `${at}.75` },
  'an offset of hours': {
    time: (at) => new Date((at + 28_800) * 1000).toISOString().replace('.000Z', '+08'),
  },
  'slashes in dates': {
    time: (at) => new Date(at * 1000).toISOString().slice(0, 19).replaceAll('-', '/').replace('T', ' '),
  },
  'no zone': { time: (at) => new Date(at * 1000).toISOString().slice(0, 19) },
  'a title': { title: true },
  'a total line': { total: true },
  'no last line end': { endsLines: false },
  guards: { guard: true },
  'an exclusive end': { endInclusive: false },
  'other names': { names: { quota: 'cost_usd', prompt_tokens: 'Prompt Tokens', note: 'tool_tokens' } },
};

it('a pull records what it observed, each point with its evidence, in each form of an export', async () => {
  const plain = await taught({});
  const texts = plain.points.map(({ point, value, evidence }) => [point, `${value}\n${evidence}`] as const);
  expect(plain.values).toMatchObject({ 'log.amounts': 'currency', 'log.time_form': 'seconds' });
  const others: [string, string][] = [];
  for (const [title, style] of Object.entries(styles)) {
    const { values } = await taught(style);
    const points = [...new Set([...Object.keys(plain.values), ...Object.keys(values)])].sort();
    const differing = points.filter((point) => plain.values[point] !== values[point]);
    const lines = differing.map((point) => `${point}: ${values[point] ?? 'not known'}`);
    others.push([title, lines.join('\n') || 'nothing else']);
  }
  await expect(titled([...texts, ...others])).toMatchFileSnapshot(approved('ingest/log-profile'));
});

it('amounts are recognised as units after enough whole amounts, and undecided until then (G6.8)', async () => {
  const whole = Array.from({ length: 30 }, (_, index) =>
    row({ at: base + 60 + index, quota: String(5000 + index) }),
  );
  expect((await taught({}, { source: whole.slice(0, 3) })).values['log.amounts']).toBe('unproven');
  const { values, points } = await taught({}, { source: whole });
  expect(values).toMatchObject({ 'log.amounts': 'units', 'log.units_per_currency': '500000' });
  expect(points.find(({ point }) => point === 'log.amounts')?.evidence).toMatch(/^30 charged rows, .* 5029$/);
});

it('configured points are applied, and their source is recorded as the configuration', async () => {
  const profile = {
    timestamps: 'seconds',
    amounts: 'currency',
    naiveZone: 'UTC',
    unitsPerCurrency: 500_000,
    usageZone: 'UTC',
  } as const;
  const { points } = await taught({}, { profile });
  const output = points.filter(({ how }) => how === 'config').map(({ point, value }) => [point, value]);
  expect(output).toEqual([
    ['log.amounts', 'currency'],
    ['log.time_form', 'seconds'],
  ]);
});

/** A log that keeps its warnings. */
const listening = () => {
  const heard: string[] = [];
  const log: Log = {
    ...silentLog,
    warn: (message, fields) => void heard.push(`${message}: ${Object.values(fields ?? {}).join()}`),
  };
  return { heard, log };
};

it('columns that appear or disappear are recorded and logged, and the pull continues', async () => {
  await using fixture = await setUp(rows);
  const pullWith = async (order: readonly string[]) => {
    const { heard, log } = listening();
    const source = logSource(
      rows.map((one) => ({ ...one, extra: 'gold' })),
      { order },
    );
    const range = { from: pullOf(fixture.folder, fixture.warehouse, source).since };
    await pullLogs(pullOf(fixture.folder, fixture.warehouse, source, { log, ...range }));
    return heard.filter((line) => /new columns|no longer has/.test(line));
  };
  const usual = plainStyle.order.filter((name) => name !== 'note');
  expect(await pullWith(usual)).toEqual([]);
  expect(await pullWith([...usual, 'tier'])).toEqual([expect.stringMatching(/ new columns; .*: tier$/)]);
  expect(await pullWith([...usual, 'tier'])).toEqual([]);
  expect(await pullWith(usual.filter((name) => name !== 'type'))).toEqual([
    expect.stringMatching(/ no longer has .*: type, tier$/),
  ]);
  expect(
    (await fixture.warehouse.profile.changes('main')).map(({ topic, name }) => `${topic} ${name}`),
  ).toEqual(['column-appeared tier', 'column-gone tier', 'column-gone type']);
  const past = await fixture.warehouse.profile.past('main');
  expect(past.filter(({ point }) => point === 'log.columns')).toHaveLength(2);
});

it('a required column that disappears fails the pull and is still recorded', async () => {
  await using fixture = await setUp(rows);
  await pullLogs(pullOf(fixture.folder, fixture.warehouse, fixture.source));
  const without = logSource(rows, { order: plainStyle.order.filter((name) => name !== 'model_name') });
  const again = pullOf(fixture.folder, fixture.warehouse, without, {
    from: pullOf(fixture.folder, fixture.warehouse, without).since,
  });
  await expect(pullLogs(again)).rejects.toMatchObject({ code: 'export-column-missing' });
  expect(await fixture.warehouse.profile.changes('main')).toMatchObject([
    { topic: 'column-gone', name: 'model_name', role: 'model_name' },
  ]);
});

it('an unknown kind causes one warning, and its rows do not count as spend (G6.10)', async () => {
  const strange = [...rows, row({ at: base + 100, kind: 'gift', quota: '99' })];
  await using fixture = await setUp(strange);
  const { heard, log } = listening();
  const pull = pullOf(fixture.folder, fixture.warehouse, fixture.source, { log });
  await pullLogs(pull);
  await pullLogs({ ...pull, from: pull.since });
  expect(heard.filter((line) => line.includes('kinds'))).toEqual([
    expect.stringMatching(/ unknown kinds; .*: gift$/),
  ]);
  expect(await fixture.warehouse.profile.changes('main')).toMatchObject([
    { topic: 'kind-unknown', name: 'gift' },
  ]);
  const spend = await fixture.warehouse.spend('main', { start: pull.since, end: pull.until });
  expect(spend).toMatchObject({ net: '1.25', otherKinds: [{ kind: 'gift', rows: 1, amount: '99' }] });
});

it('data lands even when the observations about it cannot be recorded', async () => {
  await using fixture = await setUp(rows);
  const broken = (): Promise<never> => Promise.reject(new Error('no room'));
  const profile = { ...fixture.warehouse.profile, learn: broken, noteColumns: broken, noteKinds: broken };
  const { heard, log } = listening();
  const pull = pullOf(fixture.folder, fixture.warehouse, fixture.source, { log });
  const pulled = await pullLogs({ ...pull, warehouse: { logs: fixture.warehouse.logs, profile } });
  expect(pulled.rows).toBe(3);
  expect(heard.join('\n')).toContain('cannot be saved: no room');
});

/** Names and words that no one could guess, and a column that only looks like the amount. */
const odd: Partial<SourceStyle> = { names: { quota: 'charge', type: '类别', note: 'quota' } };
const oddRows = [
  row({ kind: '扣费', extra: '9' }),
  row({ at: base + 90, kind: ' 扣费', quota: '0.25', extra: '9' }),
  row({ at: base + 100, kind: '2', quota: '70', extra: '9' }),
  row({ at: base + 110, kind: 'gift', quota: '99', extra: '9' }),
];

it('columns and kinds are read only as configured when the configuration names them', async () => {
  await using fixture = await setUp(oddRows, odd);
  const { profile: plainProfile } = pullOf(fixture.folder, fixture.warehouse, fixture.source);
  const logExport = {
    columns: { quota: 'Charge', kind: '类别' },
    kinds: { 扣费: 'consumption', '2': 'top-up' },
  } as const;
  const pull = pullOf(fixture.folder, fixture.warehouse, fixture.source, {
    profile: { ...plainProfile, amounts: 'currency', logExport },
  });
  await pullLogs(pull);
  expect(await fixture.warehouse.spend('main', { start: pull.since, end: pull.until })).toMatchObject({
    net: '0.75',
    calls: 2,
    otherKinds: [
      { kind: 'gift', amount: '99' },
      { kind: 'top-up', amount: '70' },
    ],
  });
  const absent = { ...plainProfile, logExport: { columns: { quota: 'cost' } } };
  await expect(pullLogs({ ...pull, from: pull.since, profile: absent })).rejects.toMatchObject({
    code: 'export-column-missing',
  });
});

it.each([
  ['a title', { title: true }, { titleLines: 1 }, { titleLines: 2 }, 'export-column-missing'],
  ['a total', { total: true }, { totalLine: true }, { totalLine: false }, 'export-timestamp-unreadable'],
  ['no total', {}, { totalLine: false }, { totalLine: true }, 'export-truncated'],
  ['guards', { guard: true }, { guards: true }, { guards: false }, 'export-row-invalid'],
] as const)(
  'the config may say that there is %s, and is held to it',
  async (_, style, right, wrong, code) => {
    await using fixture = await setUp(rows, style);
    const pull = pullOf(fixture.folder, fixture.warehouse, fixture.source);
    const saying = (logExport: typeof right | typeof wrong) => ({
      ...pull,
      profile: { ...pull.profile, logExport },
    });
    await expect(pullLogs(saying(wrong))).rejects.toMatchObject({ code });
    expect(await pullLogs(saying(right))).toMatchObject({ rows: 3, quota: '1.25' });
    expect(
      (await fixture.warehouse.profile.points('main')).filter(({ how }) => how === 'config'),
    ).toHaveLength(1);
  },
);
