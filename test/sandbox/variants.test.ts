import { expect, test } from 'vitest';
import {
  parseVariants,
  sandboxHelp,
  variantNames,
  variantTable,
  type VariantName,
} from '../../src/sandbox/index.ts';
import { keyVariants } from './variants-keys.ts';
import { logVariants } from './variants-log.ts';
import { modelVariants } from './variants-models.ts';
import { usageVariants } from './variants-usage.ts';

const checks = { ...keyVariants, ...logVariants, ...usageVariants, ...modelVariants };

test.each(Object.entries(checks))('a variant changes what is seen over HTTP: %s', async (id, check) => {
  await check(id.split('.').at(-1) as VariantName);
});

test('a variant has a check under its statement and name, two values at least, a default, and a meaning that the help shows', () => {
  const ids = variantNames.map((name) => `${variantTable[name].statement}.${name}`);
  expect(new Set(Object.keys(checks))).toEqual(new Set(ids));
  const help = sandboxHelp();
  for (const name of variantNames) {
    const { values, default: usual, meaning } = variantTable[name];
    expect(values).toContain(usual);
    expect(new Set(values).size).toBeGreaterThan(1);
    expect(meaning).toMatch(/^[A-Z0-9a-z].{15,}\.$/u);
    for (const part of [name, meaning, `[${usual}]`]) expect(help).toContain(part);
  }
});

test('variants written as text are all rejected at once when wrong, with the allowed or intended value', () => {
  const known = { update: 'keep', hidden_cap: '10000' };
  expect(parseVariants(known)).toEqual(known);
  const wrong = { 'page-order': 'newest-first', update: 'merge', toString: 'x', constructor: 'y' };
  const faults = [
    'unknown variant "page-order"; did you mean "page_order"?',
    'variant update cannot be "merge"; it can be replace, keep',
    'unknown variant "toString"',
  ];
  expect(() => parseVariants(wrong)).toThrow(faults.join('\n'));
});
