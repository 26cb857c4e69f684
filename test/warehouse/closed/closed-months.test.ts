import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addMoney,
  money,
  subtractMoney,
  sumMoney,
  unixSeconds,
  zero,
  type Money,
} from '../../../src/core/index.ts';
import { chargesOf, costAndUsage, csvPieces } from '../../../src/focus/index.ts';
import { openWarehouse as openFile, type Warehouse } from '../../../src/warehouse/index.ts';
import { isOnPostgres, openWarehouse } from '../../support/postgres-warehouse.ts';
import { few } from '../../support/storm.ts';
import { openNew, optionsIn, type TestFolder } from '../support.ts';
import { landCalls, type LoggedCall } from '../tokens/tokens-support.ts';

const day = 86_400;
const january = Date.UTC(2026, 0, 1) / 1000;
const months = ['2026-01', '2026-02', '2026-03'] as const;
const startOf = (month: string): number => Date.parse(`${month}-01T00:00:00Z`) / 1000;

const open = () => openNew(async (folder) => openWarehouse(optionsIn(folder)));

/** The log as it is now, by month (UTC), day, model, key and kind. */
type Log = ReadonlyMap<string, { readonly calls: number; readonly charge: Money }>;

const signed = (call: LoggedCall): Money =>
  call.kind === 'refund'
    ? subtractMoney(zero, money((call.quota ?? '0').replace('-', '')))
    : money(call.quota ?? '0');

const logOf = (calls: readonly LoggedCall[]): Log => {
  const sums = new Map<string, { calls: number; charge: Money }>();
  for (const call of calls) {
    const date = new Date((call.at ?? 0) * 1000).toISOString().slice(0, 10);
    const name = [date, call.model, call.key, call.kind].join(' ');
    const known = sums.get(name) ?? { calls: 0, charge: zero };
    sums.set(name, { calls: known.calls + 1, charge: addMoney(known.charge, signed(call)) });
  }
  return sums;
};

const spendOf = (calls: readonly LoggedCall[], month: string): Money =>
  sumMoney(calls.filter(({ at = 0 }) => new Date(at * 1000).toISOString().startsWith(month)).map(signed));

const close = (
  warehouse: Warehouse,
  month: string,
  spend: Money,
  zone = 'UTC',
  prices: Parameters<Warehouse['closed']['close']>[0]['prices'] = [],
) =>
  warehouse.closed.close({
    account: 'main',
    month,
    zone,
    spend,
    prices,
    currency: 'USD',
    verdict: 'agrees',
    reached: unixSeconds(january + 90 * day),
  });

const land = (warehouse: Warehouse, folder: TestFolder, calls: readonly LoggedCall[]) =>
  landCalls(warehouse, folder, calls, { from: january, days: 90 });

const call = (date: string, quota: string, others: Partial<LoggedCall> = {}): LoggedCall => ({
  at: Date.parse(`${date}T12:00:00Z`) / 1000,
  model: 'gpt-5',
  key: 'search',
  kind: 'consumption',
  prompt_tokens: 100,
  completion_tokens: 20,
  quota,
  ...others,
});

describe('a closed month', () => {
  const calls = [
    call('2026-01-03', '1.25'),
    call('2026-01-03', '0.5'),
    call('2026-01-03', '-0.25', { kind: 'refund' }),
    call('2026-01-31', '2', { model: '', key: '' }),
    call('2026-02-01', '7'),
  ];

  it('has the consumption and the refunds of each day, model and key, with the tokens that the export states', async () => {
    const { folder, warehouse } = await open();
    await land(warehouse, folder, calls);
    const closed = await close(warehouse, '2026-01', money('3.5'));
    expect(closed).toMatchObject({
      state: 'closed',
      corrections: 0,
      month: { rows: 3, spend: '3.5', calls: 3 },
    });
    const rows = await warehouse.closed.rows('main', '2026-01');
    expect(
      rows.map(({ day, model, key, service, kind, calls, charge }) => [
        day,
        model,
        key,
        service,
        kind,
        calls,
        charge,
      ]),
    ).toEqual([
      ['2026-01-03', 'gpt-5', 'search', 'search', 'consumption', 2, '1.75'],
      ['2026-01-03', 'gpt-5', 'search', 'search', 'refund', 1, '-0.25'],
      ['2026-01-31', '', '', '', 'consumption', 1, '2'],
    ]);
    expect(rows[0]?.tokens).toMatchObject({ output_plain_tokens: 40n });
    expect(await warehouse.closed.months('main')).toEqual([
      closed.state === 'closed' ? closed.month : undefined,
    ]);
  });

  it('is closed once: a second report of it changes nothing', async () => {
    const { folder, warehouse } = await open();
    await land(warehouse, folder, calls);
    await close(warehouse, '2026-01', money('3.5'));
    const rows = await warehouse.closed.rows('main', '2026-01');
    await land(warehouse, folder, [...calls, call('2026-01-04', '9')]);
    expect(await close(warehouse, '2026-01', money('12.5'))).toMatchObject({
      state: 'known',
    });
    expect(await warehouse.closed.rows('main', '2026-01')).toEqual(rows);
  });

  it('stays open when the log no longer has the sum of its report', async () => {
    const { folder, warehouse } = await open();
    await land(warehouse, folder, calls);
    const changed = await close(warehouse, '2026-01', money('3.500000000001'));
    expect(changed).toEqual({ state: 'changed', spend: '3.5' });
    expect(await warehouse.closed.months('main')).toEqual([]);
    expect(await warehouse.closed.rows('main', '2026-01')).toEqual([]);
  });

  it('stays open while the unit of the amounts is not proven', async () => {
    const { folder, warehouse } = await open();
    await land(warehouse, folder, [call('2026-01-03', '3')]);
    expect(await close(warehouse, '2026-01', money('3'))).toEqual({ state: 'unproven' });
    expect(await warehouse.closed.months('main')).toEqual([]);
  });

  it('is not closed in another zone than those before', async () => {
    const { folder, warehouse } = await open();
    await land(warehouse, folder, calls);
    await close(warehouse, '2026-01', money('3.5'));
    const other = await close(warehouse, '2026-02', money('7'), 'Europe/Berlin');
    expect(other).toEqual({ state: 'other-zone', zone: 'UTC' });
    expect(await warehouse.closed.months('main')).toHaveLength(1);
  });

  it('is corrected in the month that is closed next, by what changed since', async () => {
    const { folder, warehouse } = await open();
    await land(warehouse, folder, calls);
    await close(warehouse, '2026-01', money('3.5'));
    const [, ...others] = calls;
    await land(warehouse, folder, [
      call('2026-01-03', '1.5'),
      ...others,
      call('2026-01-20', '4', { key: 'growth' }),
    ]);
    expect(await close(warehouse, '2026-02', money('7'))).toMatchObject({
      corrections: 2,
    });
    const corrections = await warehouse.closed.corrections('main', '2026-02');
    expect(
      corrections.map(({ month, day, key, old, new: now }) => [
        month,
        day,
        key,
        old.charge,
        now.charge,
        now.calls,
      ]),
    ).toEqual([
      ['2026-01', '2026-01-03', 'search', '1.75', '2', 2],
      ['2026-01', '2026-01-20', 'growth', '0', '4', 1],
    ]);
    // What was booked is not booked again.
    expect(await close(warehouse, '2026-03', zero)).toMatchObject({ corrections: 0 });
  });

  it('has no correction when a token convention changes', async () => {
    const { folder, warehouse } = await open();
    await land(warehouse, folder, [call('2026-01-03', '1.5', { cached_tokens: 40 })]);
    await close(warehouse, '2026-01', money('1.5'));
    await warehouse.tokens.configure('main', { 'gpt-*': 'excludes_cache' }, {});
    expect(await close(warehouse, '2026-02', zero)).toMatchObject({ corrections: 0 });
  });
});

describe('the prices of a closed month', () => {
  const priced = Array.from({ length: 60 }, (_, nth): LoggedCall => {
    const [input, output] = [1000 + ((nth * 137) % 900), 100 + ((nth * 61) % 90)];
    return {
      at: startOf('2026-01') + nth * 900,
      model: 'gpt-5',
      key: 'search',
      kind: 'consumption',
      prompt_tokens: input,
      cached_tokens: 0,
      cache_write_tokens: 0,
      completion_tokens: output,
      reasoning_tokens: 0,
      quota: (input * 0.000002 + output * 0.000008).toFixed(6),
    };
  });
  const total = sumMoney(priced.map(signed));

  it('are those that explain the charges of the day, with the last unit of the log', async () => {
    const { folder, warehouse } = await open();
    await land(warehouse, folder, priced);
    const closed = await close(warehouse, '2026-01', total);
    expect(closed).toMatchObject({ state: 'closed', month: { unit: '0.000001' } });
    expect(await warehouse.closed.prices('main', '2026-01')).toEqual([
      {
        day: '2026-01-01',
        model: 'gpt-5',
        source: 'fitted',
        prices: { input_uncached_tokens: '2', output_plain_tokens: '8' },
      },
    ]);
  });

  it('are those of the configuration where it has some in the currency, and stay as they were when the month was closed', async () => {
    const { folder, warehouse } = await open();
    await land(warehouse, folder, priced);
    const prices = [
      { pattern: 'gpt-*', currency: 'USD', input: money('3'), output: money('9') },
      { pattern: '*', currency: 'CNY', input: money('1') },
    ];
    await close(warehouse, '2026-01', total, 'UTC', prices);
    await close(warehouse, '2026-01', total, 'UTC', []);
    const [first] = await warehouse.closed.prices('main', '2026-01');
    expect(first).toMatchObject({ source: 'configured', prices: { input_uncached_tokens: '3' } });
  });
});

const anyCall: fc.Arbitrary<LoggedCall> = fc.record({
  at: fc.integer({ min: january, max: january + 90 * day - 1 }),
  model: fc.constantFrom('gpt-5', 'claude', ''),
  key: fc.constantFrom('search', 'growth'),
  kind: fc.constantFrom('consumption', 'consumption', 'refund'),
  quota: fc.constantFrom('0', '0.000000000001', '1.25', '98765.4321'),
});

const unowned = {
  team: null,
  tags: { cost_center: null, environment: null, product: null, owner: null },
};

/** A closed month in FOCUS, as CSV. */
const exported = async ({ closed }: Warehouse, month: string): Promise<string> => {
  const found = (await closed.months('main')).find((one) => one.month === month);
  if (found === undefined) throw new Error(`${month} is not closed`);
  const prices = new Map(
    (await closed.prices('main', month)).map((one) => [`${one.day} ${one.model}`, one.prices]),
  );
  const charges = chargesOf(await closed.rows('main', month), await closed.corrections('main', month), {
    ownerOf: () => unowned,
    pricesOf: (date, model) => prices.get(`${date} ${model}`),
    unit: found.unit,
  });
  const table = costAndUsage(
    async function* () {
      yield charges;
    },
    {
      names: { issuer: 'A', provider: 'A', accountId: 'main', accountName: 'main', service: 'LLM gateway' },
      currency: found.currency,
      period: found.range,
      dayOf: () => found.range,
      verdict: found.verdict,
      reached: found.reached,
      closedAt: found.closedAt,
    },
    '1.4',
  );
  return text(Readable.from(csvPieces(table)));
};

/** The same landings in a database file, where the others are in PostgreSQL. */
const openBoth = async () => {
  const { folder, warehouse } = await open();
  const file = isOnPostgres ? await openNew(async (own) => openFile(optionsIn(own))) : undefined;
  return { folder, warehouse, file };
};

it('the rows of a closed month and the corrections booked in later months add up to the call log at the last close, and its export stays the same, also in the other database', async () => {
  const log = fc.array(anyCall, { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(fc.array(log, { minLength: 3, maxLength: 3 }), async (logs) => {
      const { folder, warehouse, file } = await openBoth();
      const exports = new Map<string, string>();
      const booked = new Map<string, { calls: number; charge: Money }>();
      const book = (name: string, calls: number, charge: Money): void => {
        const known = booked.get(name) ?? { calls: 0, charge: zero };
        booked.set(name, { calls: known.calls + calls, charge: addMoney(known.charge, charge) });
      };
      for (const [at, month] of months.entries()) {
        const calls = logs[at] ?? [];
        await land(warehouse, folder, calls);
        const closed = await close(warehouse, month, spendOf(calls, month));
        expect(closed.state).toBe('closed');
        exports.set(month, await exported(warehouse, month));
        if (file !== undefined) {
          await land(file.warehouse, file.folder, calls);
          await close(file.warehouse, month, spendOf(calls, month));
          expect(await exported(file.warehouse, month)).toBe(exports.get(month));
        }
        for (const { day: date, model, key, kind, calls: count, charge } of await warehouse.closed.rows(
          'main',
          month,
        ))
          book([date, model, key, kind].join(' '), count, charge);
        for (const { day: date, model, key, kind, old, new: now } of await warehouse.closed.corrections(
          'main',
          month,
        ))
          book(
            [date, model, key, kind].join(' '),
            now.calls - old.calls,
            subtractMoney(now.charge, old.charge),
          );
        const through = startOf(months[at + 1] ?? '2026-04');
        const expected = logOf(calls.filter(({ at: second = 0 }) => second < through));
        const all = [...booked].filter(([, { calls: count, charge }]) => count !== 0 || charge !== zero);
        expect(new Map(all)).toEqual(expected);
      }
      for (const [month, before] of exports) expect(await exported(warehouse, month)).toBe(before);
      await warehouse[Symbol.asyncDispose]();
      await file?.warehouse[Symbol.asyncDispose]();
    }),
    { numRuns: few(8, 100) },
  );
});
