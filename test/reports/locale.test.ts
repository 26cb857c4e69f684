import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  absoluteMoney,
  compareMoney,
  localeTags,
  money,
  multiplyMoney,
  roundMoney,
  subtractMoney,
  type Money,
} from '../../src/core/index.ts';
import { chartFonts } from '../../src/reports/charts/chart-fonts.ts';
import { drawable, isDrawable } from '../../src/reports/charts/chart-glyphs.ts';
import { drawPng } from '../../src/reports/render/render.ts';
import {
  formatExact,
  formatInteger,
  formatMoney,
  formatPercent,
  formatTick,
  formatTokens,
  localeOf,
} from '../../src/messages/index.ts';
import { wrap, widthOf } from '../../src/reports/render/text-width.ts';
import { runs } from '../support/storm.ts';
import { readShown } from './read-shown.ts';

const numRuns = runs(100);
const tags = fc.constantFrom(...localeTags);
const amounts = fc
  .tuple(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), fc.integer({ min: 0, max: 12 }))
  .map(([digits, places]) => money(`${digits}e-${places}`));

describe('figures', () => {
  test.each<[string, string, string, string, string]>([
    ['1234567.895', 'USD', '$1,234,567.90', '1.234.567,90\u00A0$', 'US$1,234,567.90'],
    ['-0.84', 'CNY', '-¥0.84', '-0,84\u00A0CN¥', '-¥0.84'],
    ['5', 'XYZ', 'XYZ 5.00', '5,00\u00A0XYZ', 'XYZ 5.00'],
    ['0.004', 'EUR', '€0.0040', '0,0040\u00A0€', '€0.0040'],
  ])('of %s %s follow the language', (amount, currency, ...shown) => {
    expect(localeTags.map((tag) => formatMoney(money(amount), currency, localeOf(tag)))).toEqual(shown);
  });

  test.each<[string, string, string, string]>([
    ['9999', '9,999', '9.999', '9,999'],
    ['10000', '10.0k', '10.000', '1.00万'],
    ['999499', '999k', '999.499', '99.9万'],
    ['1234567', '1.23M', '1,23\u00A0Mio.', '123万'],
    ['99999999', '100M', '100\u00A0Mio.', '1.00亿'],
    ['12345678901', '12.3B', '12,3\u00A0Mrd.', '123亿'],
    ['-1200000000000', '-1.20T', '-1,20\u00A0Bio.', '-1.20万亿'],
  ])('of %s tokens follow the language', (count, ...shown) => {
    expect(localeTags.map((tag) => formatTokens(money(count), localeOf(tag)))).toEqual(shown);
  });

  test('of percent follow the language', () => {
    const shown = localeTags.map((tag) => formatPercent(money('-12.3456'), localeOf(tag)));
    expect(shown).toEqual(['-1,235%', '-1.235\u00A0%', '-1,235%']);
  });

  test('money parses back to the amount rounded to the displayed decimals', () => {
    fc.assert(
      fc.property(amounts, tags, fc.constantFrom('USD', 'CNY', 'EUR', 'CHF'), (amount, tag, currency) => {
        const { value, places } = readShown(formatMoney(amount, currency, localeOf(tag)), tag);
        expect(value).toBe(money(roundMoney(amount, places)));
        expect(places).toBeGreaterThanOrEqual(2);
      }),
      { numRuns },
    );
  });

  test('whole and exact numbers parse back unchanged, shares to a tenth of a percent', () => {
    fc.assert(
      fc.property(fc.bigInt(), amounts, tags, (whole, amount, tag) => {
        const locale = localeOf(tag);
        expect(readShown(formatInteger(money(String(whole)), locale), tag).value).toBe(String(whole));
        expect(money(formatExact(amount, locale).replace(tag === 'de' ? ',' : '.', '.'))).toBe(amount);
        const ratio = multiplyMoney(amount, money('1e-24'));
        const { value } = readShown(formatPercent(ratio, locale), tag);
        expect(value).toBe(money(roundMoney(ratio, 3)));
      }),
      { numRuns },
    );
  });

  test('a shortened number is within half of its third digit', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), tags, (count, tag) => {
        const exact = money(String(count));
        const { value } = readShown(formatTokens(exact, localeOf(tag)), tag);
        const off = absoluteMoney(subtractMoney(value, exact));
        expect(compareMoney(off, multiplyMoney(exact, money('0.005')))).toBeLessThanOrEqual(0);
      }),
      { numRuns },
    );
  });
});

describe('dates', () => {
  const spaces = (text: string): string => text.replaceAll('\u00A0', ' ');
  test.each<[string, string, string, string, string]>([
    ['2026-11-12', '2026-11-12', 'Thu, Nov 12, 2026', 'Do., 12.11.2026', '2026年11月12日 周四'],
    ['2026-03-01', '2026-03-31', 'Mar 1 – 31, 2026', '01.–31.03.2026', '2026年3月1日 – 31日'],
    ['2026-10-21', '2026-11-19', 'Oct 21 – Nov 19, 2026', '21.10. – 19.11.2026', '2026年10月21日 – 11月19日'],
    [
      '2025-12-30',
      '2026-01-02',
      'Dec 30, 2025 – Jan 2, 2026',
      '30.12.2025 – 02.01.2026',
      '2025年12月30日 – 2026年1月2日',
    ],
  ])('from %s to %s follow the language', (first, last, ...shown) => {
    expect(localeTags.map((tag) => spaces(localeOf(tag).range(first, last)))).toEqual(shown);
  });

  test('every day of a leap year has a distinct name, in text and on charts', () => {
    const days = Array.from({ length: 366 }, (_, at) =>
      new Date(Date.UTC(2028, 0, 1 + at)).toISOString().slice(0, 10),
    );
    for (const tag of localeTags) {
      const { shortDay, longDay, chart } = localeOf(tag);
      for (const say of [shortDay, longDay, chart.day]) {
        expect(new Set(days.map(say)).size).toBe(366);
        for (const day of days) expect(say(day)).toContain(String(Number(day.slice(8))));
      }
      for (const day of days) expect(longDay(day)).toContain('2028');
    }
  });
});

describe('lines', () => {
  test('Chinese lines break between characters, and no line starts with a closing mark', () => {
    const text = `${chineseSample}${chineseSample}`;
    const lines = wrap(text, 40);
    expect(lines.join('')).toBe(text);
    for (const line of lines) {
      expect(widthOf(line)).toBeLessThanOrEqual(42);
      expect(line).not.toMatch(/^[，。：）]/);
    }
    for (const line of lines.slice(0, -1)) expect(widthOf(line)).toBeGreaterThan(34);
  });
});

const chineseSample =
  '未知类型“管理”共十二行，金额未计入支出。数据截至昨日，（详见说明）其余各行已合并为一行合计。';

describe('charts', () => {
  test('every label of a language has its glyphs', () => {
    const days = Array.from({ length: 366 }, (_, at) =>
      new Date(Date.UTC(2028, 0, 1 + at)).toISOString().slice(0, 10),
    );
    const ticks: Money[] = Array.from({ length: 30 }, (_, at) => money(`-25e${at - 12}`));
    for (const tag of localeTags) {
      const locale = localeOf(tag);
      for (const day of days) expect(isDrawable(locale.chart.day(day)), locale.chart.day(day)).toBe(true);
      for (const currency of ['USD', 'CNY', 'EUR', 'GBP', 'CHF'])
        for (const tick of ticks) {
          expect(isDrawable(formatTick(tick, currency, locale))).toBe(true);
          expect(isDrawable(formatMoney(tick, currency, locale))).toBe(true);
        }
    }
  });

  test('each character that the font lacks is drawn as a box', () => {
    expect(isDrawable('11月12日')).toBe(false);
    expect(drawable('11月12日 gpt')).toBe('11□12□ gpt');
    expect(drawable('👩‍👩‍👧‍👦')).toBe('□');
    expect(drawable('Über 5 Mio. €')).toBe('Über 5 Mio. €');
  });

  test('text reported as drawable is drawn, and other text is not', async () => {
    const svg = (text: string) =>
      `<svg xmlns="http://www.w3.org/2000/svg" width="480" height="40" viewBox="0 0 480 40"><text x="5" y="30" font-family="Inter" font-size="14" fill="#808690">${text}</text></svg>`;
    const draw = async (text: string): Promise<string> =>
      Buffer.from(await drawPng(svg(text), chartFonts())).toString('base64');
    // What a font draws for a character that it does not know.
    const unknown = await draw('\u{F0000}');
    expect(unknown).not.toBe(await draw(''));
    for (const character of ['1', 'ä', '€', '¥', '□', '–', '月', '万', '：', '（', 'あ']) {
      const drawn = await draw(character);
      expect(drawn !== unknown && drawn !== (await draw('')), character).toBe(isDrawable(character));
    }
  });
});
