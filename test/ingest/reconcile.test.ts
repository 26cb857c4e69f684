import { describe, expect, it } from 'vitest';
import { money } from '../../src/base/index.ts';
import { reconcile } from '../../src/ingest/index.ts';

const logs = { net: money('2.25001235'), consumption: money('2.50001235'), refunds: money('0.25') };
const noRefunds = { net: money('2.5'), consumption: money('2.5'), refunds: money('0') };

describe('comparing the log with the statistics', () => {
  it.each([
    ['equal', noRefunds, ['2.6', '2.5'], '0'],
    ['equal', logs, ['2.25001235'], '0'],
    ['equal-without-refunds', logs, ['2.50001235'], '0'],
    ['rounding', logs, ['2.5000'], '-0.00001235'],
    ['rounding', logs, ['2.25'], '-0.00001235'],
    ['units', logs, ['1250006'], '-0.175'],
    ['unexplained', logs, ['2.51', '2.49'], '0.00998765'],
    ['unexplained', noRefunds, ['0'], '-2.5'],
    ['unexplained', noRefunds, [], '-2.5'],
  ] as const)('says %s', (verdict, sums, readings, gap) => {
    const found = reconcile(sums, readings.map(money));
    expect(found).toMatchObject({ verdict, gap, good: verdict !== 'unexplained' });
    expect(found.text).toContain(found.reading);
  });

  it('says currency when the reading is the sum in the other one', () => {
    const otherCurrency = { ...logs, consumption: money('17.9'), net: money('16.2'), name: 'CNY' };
    expect(reconcile(logs, [money('17.9')], { otherCurrency })).toMatchObject({ verdict: 'currency' });
  });
});
