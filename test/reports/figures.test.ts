import fc from 'fast-check';
import { fillTemplate } from '../../src/reports/compose/subject-fields.ts';
import { describe, expect, test } from 'vitest';
import { compareMoney, money, multiplyMoney, subtractMoney, sumMoney } from '../../src/core/index.ts';
import { changeOf } from '../../src/reports/compose/change.ts';
import { formatMoney, formatPercent, formatTick, formatTokens, localeOf } from '../../src/messages/index.ts';
import { scaleOf } from '../../src/reports/charts/chart-scale.ts';
import { sharesOf } from '../../src/reports/compose/apportion.ts';
import { padEnd, widthOf, wrap } from '../../src/reports/render/text-width.ts';
import { hostileNames } from './hostile.ts';
import { showName } from '../../src/reports/index.ts';

const en = localeOf('en');
const amounts = fc
  .tuple(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), fc.integer({ min: 0, max: 12 }))
  .map(([digits, places]) => money(`${digits}e-${places}`));

describe('figures as they are shown', () => {
  test.each([
    ['31807.84123456', '$31,807.84'],
    ['-0.84', '-$0.84'],
    ['0', '$0.00'],
    ['0.004', '$0.0040'],
    ['0.05', '$0.050'],
    ['0.1', '$0.10'],
    ['0.000000000001', '$0.000000000001'],
    ['1234567.895', '$1,234,567.90'],
    ['12345678901234567890.125', '$12,345,678,901,234,567,890.12'],
  ])('%s is %s', (amount, shown) => {
    expect(formatMoney(money(amount), 'USD', en)).toBe(shown);
  });

  test.each([
    ['0', '0'],
    ['9999', '9,999'],
    ['10000', '10.0k'],
    ['999499', '999k'],
    ['999500', '1.00M'],
    ['-1234567', '-1.23M'],
    ['12345678901', '12.3B'],
    ['99999999999999999', '100,000T'],
  ])('%s tokens are %s', (count, shown) => {
    expect(formatTokens(money(count), en)).toBe(shown);
  });

  test.each([
    ['1500', '$1.5k'],
    ['0.00025', '$0.00025'],
    ['1000000', '$1M'],
    ['-500', '-$500'],
  ])('a tick at %s is %s', (tick, shown) => {
    expect(formatTick(money(tick), 'USD', en)).toBe(shown);
  });

  test.each([
    ['0.082', '8.2%'],
    ['-0.0004', '0.0%'],
    ['-0.4', '-40.0%'],
    ['12.345', '1,234%'],
  ])('the ratio %s is %s', (ratio, shown) => {
    expect(formatPercent(money(ratio), en)).toBe(shown);
  });
});

test('shares are whole tenths of a percent, add up to 100% and differ by less than a tenth', () => {
  fc.assert(
    fc.property(fc.array(amounts, { minLength: 1, maxLength: 30 }), (parts) => {
      const whole = sumMoney(parts);
      const shares = sharesOf(parts);
      if (compareMoney(whole, money('0')) <= 0) {
        expect(shares).toBe(undefined);
        return;
      }
      expect(sumMoney(shares ?? [])).toBe('1');
      for (const [at, share] of (shares ?? []).entries()) {
        const off = subtractMoney(multiplyMoney(share, whole), parts[at] ?? money('0'));
        expect(
          compareMoney(money(off.replace('-', '')), multiplyMoney(whole, money('0.0010001'))),
        ).toBeLessThanOrEqual(0);
        expect(multiplyMoney(share, money('1000'))).toMatch(/^-?\d+$/);
      }
    }),
  );
});

describe('changes', () => {
  test.each([
    ['110', '100', 'up', '+10.0%', 'bad'],
    ['90', '100', 'down', '-10.0%', 'good'],
    ['100', '100', 'same', '0.0%', 'neutral'],
    ['100.0001', '100', 'same', '0.0%', 'neutral'],
    ['5', '0', 'new', 'new', 'neutral'],
    ['0', '5', 'down', '-100.0%', 'neutral'],
    ['5', '-5', 'unknown', '–', 'neutral'],
    ['1000000', '1', 'up', '>9,999%', 'bad'],
  ])('are shown with direction and tone: %s after %s', (now, before, direction, text, tone) => {
    expect(changeOf(money(now), money(before), 'down', en)).toMatchObject({ direction, text, tone });
  });
});

test('an axis includes its values between round steps', () => {
  fc.assert(
    fc.property(fc.array(amounts, { minLength: 1, maxLength: 20 }), (values) => {
      const { ticks, low, high } = scaleOf(values);
      for (const value of values) {
        expect(compareMoney(value, low)).toBeGreaterThanOrEqual(0);
        expect(compareMoney(value, high)).toBeLessThanOrEqual(0);
      }
      expect(ticks).toContain('0');
      expect(ticks.length).toBeLessThanOrEqual(6);
    }),
  );
});

test('a part of a template without values is omitted', () => {
  const fields = {
    title: 'T',
    account: '',
    team: '',
    period: 'P',
    total: '$1',
    before: '',
    change: '',
    cause: '',
    verdict: '',
    state: '',
  };
  expect(fillTemplate('{title} · {period} · {change} · in all {total} · {state}', fields)).toBe(
    'T · P · in all $1',
  );
  expect(fillTemplate('{title}', { ...fields, title: 'a\r\nBcc: b' })).toBe('a Bcc: b');
});

describe('names', () => {
  test('are one line of bounded length without controls or direction marks', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.constantFrom(...hostileNames)),
        (name) => {
          const shown = showName(name);
          expect(shown).not.toMatch(/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u);
          expect(shown).not.toMatch(/\p{Cs}/u);
          expect(shown.length).toBeLessThanOrEqual(80 * 24);
        },
      ),
    );
  });

  test('harmless names stay unchanged', () => {
    for (const name of ['prod-search', 'ключ', '生产', '👩‍👩‍👧‍👦 🇩🇪', '=1+1', '<b>&amp;'])
      expect(showName(name)).toBe(name);
  });

  test('long names keep their beginning and end, in 80 characters', () => {
    const shown = showName(`${'a'.repeat(100)}-production`);
    expect(shown).toMatch(/^a{50,}….*-production$/);
    expect(shown).toHaveLength(80);
  });
});

test('columns of text are measured as a terminal shows them', () => {
  expect(widthOf('abc')).toBe(3);
  expect(widthOf('生产')).toBe(4);
  expect(widthOf('👩‍👩‍👧‍👦')).toBe(2);
  expect(widthOf('e\u0301')).toBe(1);
  expect(padEnd('生产', 6)).toBe('生产  ');
  for (const line of wrap('x'.repeat(100) + ' 生产'.repeat(30), 40))
    expect(widthOf(line)).toBeLessThanOrEqual(40);
});
