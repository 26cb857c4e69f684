import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  interval,
  money,
  multiplyMoney,
  subtractMoney,
  sumMoney,
  unixMillis,
  unixSeconds,
  zero,
  type FocusVersion,
  type Money,
} from '../../src/core/index.ts';
import {
  chargesOf,
  columnsOf,
  costAndUsage,
  csvPieces,
  splitCharge,
  type ChargeRules,
  type Consumption,
  type FocusExport,
} from '../../src/focus/index.ts';
import type { ClosedCorrection, ClosedRow } from '../../src/warehouse/index.ts';

const untagged = { cost_center: null, environment: null, product: null, owner: null };

const owners = {
  search: { team: 'search', tags: { ...untagged, product: 'shop' } },
  other: { team: null, tags: untagged },
};

const rules: ChargeRules = {
  ownerOf: (key) => (key === 'search' ? owners.search : owners.other),
  // The price of a million input tokens is 2, of output tokens 8.
  pricesOf: (_day, model) =>
    model === 'gpt-5' ? { input_uncached_tokens: money('2'), output_plain_tokens: money('8') } : undefined,
  unit: money('0.000001'),
};

const row = (change: Partial<ClosedRow> = {}): ClosedRow => ({
  day: '2026-10-03',
  model: 'gpt-5',
  key: 'search',
  service: 'search',
  kind: 'consumption',
  calls: 10,
  charge: money('0.0028'),
  unstatedCalls: 0,
  tokens: { input_uncached_tokens: 1000n, output_plain_tokens: 100n },
  ...change,
});

const given: FocusExport = {
  names: {
    issuer: 'Gateway Ltd',
    provider: 'Gateway Ltd',
    accountId: 'main',
    accountName: 'Main account',
    service: 'LLM gateway',
  },
  currency: 'USD',
  period: interval(unixSeconds(1_790_805_600), unixSeconds(1_793_487_600)),
  dayOf: (day) => {
    const start = unixSeconds(Date.parse(`${day}T00:00:00+02:00`) / 1000);
    return interval(start, unixSeconds(start + 86_400));
  },
  verdict: 'agrees',
  reached: unixSeconds(1_793_487_600),
  closedAt: unixMillis(1_793_500_000_000),
};

type Line = Readonly<Record<string, string>>;

const write = async (
  rows: readonly ClosedRow[],
  corrections: readonly ClosedCorrection[] = [],
  version: FocusVersion = '1.4',
): Promise<string> => {
  const table = costAndUsage(
    async function* () {
      yield chargesOf(rows, corrections, rules);
    },
    given,
    version,
  );
  return text(Readable.from(csvPieces(table)));
};

const read = async (...args: Parameters<typeof write>): Promise<readonly Line[]> =>
  parse(await write(...args), { columns: true }) as readonly Line[];

const billed = (lines: readonly Line[]): Money =>
  sumMoney(lines.map(({ BilledCost = '0' }) => money(BilledCost)));

describe('a charge', () => {
  const consumption = (change: Partial<Consumption> = {}): Consumption => ({ ...row(), ...change });
  const split = (change: Partial<Consumption>, prices = rules.pricesOf('', 'gpt-5')) =>
    splitCharge(consumption(change), prices, rules.unit);

  it('is split by the prices of its classes, with what they leave of it', () => {
    expect(split({ charge: money('0.002803') })).toEqual({
      isSplit: true,
      parts: [
        { class: 'input_uncached_tokens', tokens: 1000n, cost: '0.002' },
        { class: 'output_plain_tokens', tokens: 100n, cost: '0.0008' },
      ],
      difference: '0.000003',
    });
  });

  it.each([
    ['no call has tokens', { tokens: {} }, 'no-tokens'],
    ['the tokens of a call are not stated', { unstatedCalls: 1 }, 'unstated'],
    ['a class has no price', { tokens: { input_cache_read_tokens: 1n } }, 'no-price'],
    ['tokens have no class', { tokens: { input_unclassified_tokens: 1n } }, 'no-price'],
    ['rounding cannot explain the difference', { charge: money('0.002806') }, 'difference'],
  ] as const)('is not split where %s', (_, change, reason) => {
    expect(split(change)).toEqual({ isSplit: false, reason });
  });

  it('may differ from its parts by half a unit a call, and not by more', () => {
    const least = (difference: string) =>
      split({ charge: sumMoney([money('0.0028'), money(difference)]) }).isSplit;
    expect([least('0.000005'), least('-0.000005'), least('0.000006'), least('-0.000006')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('equals the sum of its parts and the difference, at any price', () => {
    const amount = fc.integer({ min: 0, max: 10 ** 9 }).map((units) => money(`${units}e-9`));
    fc.assert(
      fc.property(
        fc.tuple(amount, amount, amount),
        fc.tuple(fc.bigInt(0n, 10n ** 9n), fc.bigInt(1n, 10n ** 9n)),
        ([charge, input, output], [inputs, outputs]) => {
          const found = splitCharge(
            consumption({ charge, tokens: { input_uncached_tokens: inputs, output_plain_tokens: outputs } }),
            { input_uncached_tokens: input, output_plain_tokens: output },
            money('1000000'),
          );
          if (!found.isSplit) throw new Error(found.reason);
          expect(sumMoney([...found.parts.map(({ cost }) => cost), found.difference])).toBe(charge);
        },
      ),
    );
  });
});

describe('the rows of a month', () => {
  it('have one line for each class of tokens, and one for what rounding leaves', async () => {
    const lines = await read([row({ charge: money('0.002803') })]);
    expect(
      lines.map((line) => [
        line['SkuPriceId'],
        line['BilledCost'],
        line['ConsumedQuantity'],
        line['ChargeCategory'],
      ]),
    ).toEqual([
      ['gpt-5/input_uncached_tokens', '0.002', '1000', 'Usage'],
      ['gpt-5/output_plain_tokens', '0.0008', '100', 'Usage'],
      ['', '0.000003', '', 'Adjustment'],
    ]);
    expect(lines[0]).toMatchObject({
      BillingPeriodStart: '2026-09-30T22:00:00Z',
      ChargePeriodStart: '2026-10-02T22:00:00Z',
      ConsumedUnit: 'Tokens',
      PricingQuantity: '1000',
      Tags: '{"team":"search","product":"shop"}',
      x_Service: 'search',
      x_TokenDirection: 'input',
      x_Reconciliation: 'agrees',
    });
  });

  it('have one line for calls whose charge cannot be split, and one for refunds', async () => {
    const lines = await read([
      row({ model: '', tokens: {}, charge: money('1.5') }),
      row({ model: '', tokens: {}, kind: 'refund', calls: 2, charge: money('-0.25') }),
    ]);
    expect(
      lines.map((line) => [
        line['SkuPriceId'],
        line['BilledCost'],
        line['PricingUnit'],
        line['PricingQuantity'],
        line['ConsumedQuantity'],
        line['ConsumedUnit'],
      ]),
    ).toEqual([
      ['unnamed/charge', '1.5', 'USD', '1.5', '10', 'Calls'],
      ['unnamed/charge', '-0.25', 'USD', '-0.25', '0', 'Calls'],
    ]);
  });

  it('reverse what was booked of a closed month and enter it again', async () => {
    const correction = (
      old: string,
      now: string,
      change: Partial<ClosedCorrection> = {},
    ): ClosedCorrection => ({
      ...row(),
      month: '2026-09',
      day: '2026-09-30',
      old: { calls: old === '0' ? 0 : 3, charge: money(old) },
      new: { calls: now === '0' ? 0 : 4, charge: money(now) },
      ...change,
    });
    const lines = await read([], [correction('2.5', '4'), correction('0', '1', { model: 'other' })]);
    expect(
      lines.map((line) => [
        line['SkuId'],
        line['ChargeClass'],
        line['BilledCost'],
        line['ConsumedQuantity'],
        line['ChargePeriodStart'],
      ]),
    ).toEqual([
      ['gpt-5', 'Correction', '-2.5', '-3', '2026-09-29T22:00:00Z'],
      ['gpt-5', 'Correction', '4', '4', '2026-09-29T22:00:00Z'],
      ['other', 'Correction', '1', '4', '2026-09-29T22:00:00Z'],
    ]);
  });

  it('keep names of any script, quotes and line ends, without a mark or a guard in front', async () => {
    const model = '=cmd|"研发"\nсмысл,';
    const written = await write([row({ model, service: '' })]);
    expect(written.startsWith('BilledCost,')).toBe(true);
    const [line] = parse(written, { columns: true }) as readonly Line[];
    expect(line).toMatchObject({ SkuId: model, x_Service: '' });
  });

  it('have the columns of their version', () => {
    const names = (version: FocusVersion) => columnsOf(version).map(({ name }) => name);
    expect(names('1.2')).toEqual(expect.arrayContaining(['ProviderName', 'PublisherName']));
    expect(names('1.4')).not.toEqual(expect.arrayContaining(['ProviderName']));
    for (const version of ['1.2', '1.4'] as const)
      expect(names(version)).toEqual(names(version).toSorted((left, right) => (left < right ? -1 : 1)));
  });
});

const anyRow: fc.Arbitrary<ClosedRow> = fc.record({
  day: fc.constantFrom('2026-10-01', '2026-10-31'),
  model: fc.constantFrom('gpt-5', 'other', ''),
  key: fc.constantFrom('search', 'growth'),
  service: fc.constantFrom('search', 'growth'),
  kind: fc.constantFrom('consumption', 'refund'),
  calls: fc.integer({ min: 1, max: 5 }),
  charge: fc.integer({ min: 0, max: 10 ** 6 }).map((units) => money(`${units}e-6`)),
  unstatedCalls: fc.constantFrom(0, 0, 0, 1),
  tokens: fc.record(
    {
      input_uncached_tokens: fc.bigInt(0n, 1000n),
      output_plain_tokens: fc.bigInt(0n, 1000n),
    },
    { requiredKeys: [] },
  ),
});

it('the lines of a month add up to its rows, and those of corrections to what changed, in each version', async () => {
  const correction = fc
    .tuple(anyRow, fc.integer({ min: 0, max: 10 ** 6 }))
    .map(([{ charge, calls, ...named }, now]): ClosedCorrection => ({
      ...named,
      month: '2026-09',
      old: { calls, charge },
      new: { calls: calls + 1, charge: multiplyMoney(money(String(now)), money('0.000001')) },
    }));
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyRow, { maxLength: 30 }),
      fc.array(correction, { maxLength: 10 }),
      fc.constantFrom<FocusVersion>('1.2', '1.4'),
      async (all, corrections, version) => {
        const rows = all.map((one) =>
          one.kind === 'refund' ? { ...one, charge: subtractMoney(zero, one.charge) } : one,
        );
        const lines = await read(rows, corrections, version);
        const [changed, own] = [true, false].map((wanted) =>
          lines.filter((line) => (line['ChargeClass'] === 'Correction') === wanted),
        );
        expect(billed(own ?? [])).toBe(sumMoney(rows.map(({ charge }) => charge)));
        expect(billed(changed ?? [])).toBe(
          sumMoney(corrections.map((one) => subtractMoney(one.new.charge, one.old.charge))),
        );
        for (const line of lines)
          for (const cost of ['ContractedCost', 'EffectiveCost', 'ListCost'])
            expect(line[cost]).toBe(line['BilledCost']);
      },
    ),
  );
});
