import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Big } from 'big.js';
import { interval, unknownGateway, type GatewayProfile } from '../../../src/core/index.ts';
import { pullLogs, type LogPullDeps } from '../../../src/ingest/index.ts';
import { chunksOf, csvOf, plainStyle, seconds, type SourceRow } from './log-source.ts';
import { base, openIn, pullOf, testFolder } from '../support.ts';

const hour = 3600;
const range = interval(seconds(base), seconds(base + hour));

const callsOf = (amounts: readonly string[]): readonly SourceRow[] =>
  amounts.map((quota, index) => ({ at: base + index, model: 'gpt-4o', token: 'a,"b"', prompt: 7, quota }));

const rounding: GatewayProfile = { ...unknownGateway, roundAmounts: 12 };

/** A pull of an hour with these amounts. */
const pull = async (
  amounts: readonly string[],
  profile: GatewayProfile,
  { change = (body: string): string => body, quarantine = false } = {},
) => {
  await using folder = await testFolder();
  await using warehouse = await openIn(folder);
  const fetchLogs: LogPullDeps['fetchLogs'] = async ({ start, end, columns }) => {
    const body = csvOf(
      callsOf(amounts).filter(({ at }) => at >= start && at <= end),
      plainStyle,
    );
    return { body: chunksOf(columns.length === 0 ? body : change(body), 100) };
  };
  const outcome = await pullLogs(
    pullOf(
      folder,
      warehouse,
      { fetchLogs },
      {
        until: range.end,
        windowSeconds: hour,
        profile,
        badRows: quarantine ? 'quarantine' : 'fail',
      },
    ),
  ).catch((error: unknown) => error);
  const totals = await warehouse.comparisons.totals('main', range);
  return { outcome, totals };
};

describe('`gateway.round_amounts`', () => {
  const double = '0.0016150000000000001';

  it('rounds amounts that are floating-point numbers; without it they are an error that names it', async () => {
    const failed = await pull(['0.5', double], unknownGateway);
    expect(failed.outcome).toMatchObject({
      code: 'export-amount-inexact',
      advice: expect.stringContaining('gateway.round_amounts: 12') as string,
    });
    const { outcome, totals } = await pull(['0.5', double, '1.6150000000000002e-05'], rounding);
    expect(outcome).toMatchObject({ rows: 3, quota: '0.50163115' });
    expect(totals.net).toBe('0.50163115');
  });

  it('leaves amounts in integer units as they are', async () => {
    const { outcome } = await pull([`5000${double.slice(1)}`], { ...rounding, amounts: 'units' });
    expect(outcome).toMatchObject({ code: 'export-amounts-changed' });
  });

  it('names the line of another bad row, and quarantines it alone', async () => {
    const amounts = [double, double, 'free', double];
    const change = (body: string): string => body.replace('\n', '\n\n');
    const failed = await pull(amounts, rounding, { change });
    expect(failed.outcome).toMatchObject({
      code: 'export-row-invalid',
      message: expect.stringMatching(/^line 5 .*the amount "free"/) as string,
    });
    const { outcome, totals } = await pull(amounts, rounding, { change, quarantine: true });
    expect(outcome).toMatchObject({ rows: 3, quarantined: 1 });
    expect(totals.net).toBe('0.004845');
  });

  it('rounds each row half to even', async () => {
    const amount = fc
      .tuple(fc.integer({ min: -99, max: 99 }), fc.bigInt({ min: 0n, max: 10n ** 15n - 1n }), fc.boolean())
      .map(([whole, decimals, isTie]) => {
        const digits = String(decimals).padStart(15, '0');
        return `${whole}.${isTie ? `${digits.slice(0, 12)}500` : `${digits}1`}`;
      });
    await fc.assert(
      fc.asyncProperty(fc.array(amount, { minLength: 1, maxLength: 20 }), async (amounts) => {
        const { totals } = await pull(amounts, rounding);
        const sum = amounts.reduce((all, one) => all.plus(new Big(one).round(12, 2)), new Big(0));
        expect(new Big(totals.net).eq(sum)).toBe(true);
      }),
      { numRuns: 15 },
    );
  });
});
