import { countText } from '../../../src/core/index.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clip, oneLine, widthOf, wrap } from '../../../src/cli/ui/text.ts';
import { describeDuration, describeUntil } from '../../../src/cli/ui/messages.ts';
import { hostile } from '../support/views.ts';

const s = 1000;
const min = 60 * s;
const h = 60 * min;
const d = 24 * h;

describe('a duration as text', () => {
  it.each([
    [0, '0 ms'],
    [-5, '0 ms'],
    [340, '340 ms'],
    [1234, '1.2 s'],
    [2000, '2 s'],
    [9960, '10 s'],
    [59_499, '59 s'],
    [59_600, '1 min'],
    [200 * s, '3 min 20 s'],
    [h - 400, '1 h'],
    [2 * h + 5 * min, '2 h 5 min'],
    [d - s, '1 d'],
    [3 * d + 4 * h, '3 d 4 h'],
    [400 * d, '400 d'],
  ])('%d ms: %s', (millis, message) => {
    expect(describeDuration(millis)).toBe(message);
  });

  it('never shows 60 of a unit, nor differs by more than a unit', () => {
    const units: Record<string, number> = { ms: 1, s, min, h, d };
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 400 * d }), (millis) => {
        const parts = [...describeDuration(millis).matchAll(/([\d.]+) (ms|s|min|h|d)/g)];
        const output = parts.reduce(
          (sum, [, count, unit = '']) => sum + Number(count) * (units[unit] ?? 0),
          0,
        );
        for (const [, count, unit = ''] of parts)
          expect(Number(count)).toBeLessThan({ ms: 1000, s: 60, min: 60, h: 24 }[unit] ?? 1000);
        expect(Math.abs(output - millis)).toBeLessThanOrEqual(Math.max(1, millis / 20));
      }),
    );
  });

  it('gives the time until an instant', () => {
    expect(describeUntil(3 * h + 20 * min, 0)).toBe('in 3 h 20 min');
    expect(describeUntil(3400, 0)).toBe('in 4 s');
    expect(describeUntil(5, 5)).toBe('now');
    expect(describeUntil(0, 5)).toBe('now');
  });

  it('gives counts with the right plural', () => {
    expect([0, 1, 1204].map((count) => countText(count, 'slot'))).toEqual([
      '0 slots',
      '1 slot',
      '1,204 slots',
    ]);
  });
});

describe('text on a terminal', () => {
  it('is one line without escapes, controls and direction marks, and keeps letters and joined emoji', () => {
    expect(oneLine('\u001B[31mred\u001B[0m\r\n\tnext\u0000 \u009B2Jx\u202Ey\uFEFFz\u2028w')).toBe(
      'red next xyz w',
    );
    expect(oneLine(`an unfinished \u001B]0;title`)).not.toContain('\u001B');
    expect(oneLine('  👩‍👩‍👧 e\u0301 \uD800 ')).toBe('👩‍👩‍👧 e\u0301 \uFFFD');
    // oxlint-disable-next-line no-control-regex
    expect(oneLine(hostile)).toMatch(/^[^\u0000-\u001F\u007F-\u009F\u202A-\u202E]*$/);
  });

  it.each([
    ['abc', 3],
    ['网关', 4],
    ['ﾊﾝｶｸ', 4],
    ['한글', 4],
    ['，。', 4],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['Привет', 6],
    ['…', 1],
  ])('%s is %d columns wide', (text, width) => {
    expect(widthOf(text)).toBe(width);
  });

  it('is cut between characters', () => {
    expect(clip('abcdef', 6)).toBe('abcdef');
    expect(clip('abcdefg', 6)).toBe('abcde…');
    expect(clip('网关没有', 6)).toBe('网关…');
    expect(clip('网'.repeat(100_000), 10)).toBe('网网网网…');
  });

  it('is wrapped at spaces or within long words, and nothing is lost', () => {
    expect(wrap('one two three', 8)).toEqual(['one two', 'three']);
    expect(wrap('网关没有响应', 5)).toEqual(['网关', '没有', '响应']);
    expect(wrap('', 5)).toEqual(['']);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 4, max: 60 }), (given, width) => {
        const text = oneLine(given);
        const lines = wrap(text, width);
        expect(lines.filter((line) => widthOf(line) > width)).toEqual([]);
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      }),
    );
  });
});
