import { describe, expect, test } from 'vitest';
import { interval, localeTags, money, unixSeconds, type LocaleTag } from '../../src/core/index.ts';
import { localeOf, runNotes } from '../../src/messages/index.ts';
import { approved } from '../support/approved.ts';

/** What functions of texts are called with: `given` where they take one object. */
type Values = { readonly given: Readonly<Record<string, unknown>>; readonly listed: readonly unknown[] };

const amounts = { amount: '7', percent: '9%', total: '7', reading: '5', ours: '6', gap: '1', unit: 'USD' };
const named = { name: 'N', title: 'T', period: 'P', highest: 'H', lowest: 'L', series: 'S', missing: 'M' };
const given = {
  ...amounts,
  ...named,
  theirs: 'X',
  cause: 'C',
  who: 'W',
  rise: true,
  most: true,
  partOf: { part: '7', change: '9', isRise: true },
};
const many: Values = { given, listed: ['3', '4', '5', '6', '7'] };
const falling = { isMany: true, rise: false, most: false, partOf: { part: '7', change: '9', isRise: false } };
const one: Values = { given: { ...given, ...falling, missing: '' }, listed: [1, 1, 1, 1, 1] };

/** Undefined for a function that takes texts where it is given numbers. */
const resultOf = (value: object, given: readonly unknown[]): unknown => {
  try {
    return Reflect.apply(value as () => unknown, undefined, given);
  } catch (error) {
    if (error instanceof TypeError && typeof given[0] === 'number') return undefined;
    throw error;
  }
};

/** All texts of a tree of words, its functions called with these values, by path. */
const textsOf = (value: unknown, values: Values, path = ''): readonly (readonly [string, string])[] => {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value === 'function') {
    const isOne = path.endsWith('.cause') || path.endsWith('sentence') || path.endsWith('chartAlt');
    const [first, second, , ...rest] = values.listed;
    const state = path.endsWith('contributor') ? 'gone' : values.listed[2];
    const list = path.endsWith('draft') ? [['3', '4']] : [first, second, state, ...rest];
    const result = resultOf(value, isOne ? [values.given] : list);
    if (result === undefined) return [];
    // Sentences that come with advice.
    if (Array.isArray(result)) return [[path, result.join()]];
    return typeof result === 'string' ? [[path, result]] : textsOf(result, values, path);
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => textsOf(inner, values, `${path}.${key}`));
};

const allOf = (tag: LocaleTag, values: Values): ReadonlyMap<string, string> =>
  new Map(textsOf(localeOf(tag).messages, values));

describe('texts of reports', () => {
  const english = allOf('en', many);

  test.each(['de', 'zh'] as const)('of %s cover every text of English in the language itself', (tag) => {
    const translations = allOf(tag, many);
    expect([...translations.keys()].sort()).toEqual([...english.keys()].sort());
    for (const [key, text] of translations) {
      expect(text, key).not.toMatch(/^\s*$|undefined|\[object/);
      // Units such as “d” and “h”, and the words budget and test, are the same in German.
      if (
        !key.startsWith('.units') &&
        key !== '.budgets.budget' &&
        key !== '.budgets.ofPeriod' &&
        key !== '.reportMail.testMark'
      )
        expect(text, key).not.toBe(english.get(key));
      // “Spent / budget” needs no word: its header has both.
      if (tag === 'zh' && key !== '.budgets.spent' && key !== '.budgets.ofPeriod')
        expect(text, key).toMatch(/\p{Script=Han}/u);
    }
  });

  test.each(localeTags)('have their approved form in %s, of several and of one', async (tag) => {
    const singular = allOf(tag, one);
    const texts = [...allOf(tag, many)].flatMap(([key, text]) => [
      `${key.slice(1)}: ${text}`,
      ...[singular.get(key) ?? text].flatMap((other) => (other === text ? [] : [`  1: ${other}`])),
    ]);
    await expect(`${texts.join('\n')}\n`).toMatchFileSnapshot(approved('reports/texts', tag));
  });

  test('describe a comparison with an unknown verdict by its own sentence', () => {
    const [gap, text] = [money('1.5'), 'In English.'];
    const range = interval(unixSeconds(0), unixSeconds(3600));
    const figures = { source: 'statistics', theirs: money('12.5'), ours: money('11'), unit: 'USD' } as const;
    for (const tag of localeTags)
      expect(
        runNotes(tag, 'UTC').compared({ ...figures, gap, range, verdict: 'quite new', text }, undefined, 0),
      ).toBe(text);
  });
});
