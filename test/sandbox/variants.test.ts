import { describe, expect, test } from 'vitest';
import { parseVariants, sandboxHelp, variantNames, variantTable } from '../../src/sandbox/index.ts';
import { keyVariants } from './variants-keys.ts';
import { logVariants } from './variants-log.ts';
import { modelVariants } from './variants-models.ts';
import { usageVariants } from './variants-usage.ts';

const checks: Readonly<Record<string, () => Promise<void>>> = {
  ...keyVariants,
  ...logVariants,
  ...usageVariants,
  ...modelVariants,
};

describe('a variant', () => {
  test.each(Object.entries(checks))('changes what is seen over HTTP: %s', async (_, check) => {
    await check();
  });

  test('has a check under its statement and name', () => {
    const ids = variantNames.map((name) => `${variantTable[name].statement}.${name}`);
    expect(new Set(Object.keys(checks))).toEqual(new Set(ids));
  });
});

describe('the table of switches', () => {
  test('has for each switch at least two values, a default, a meaning and a statement of the gateway contract', () => {
    for (const name of variantNames) {
      const { values, default: usual, meaning, statement } = variantTable[name];
      expect(values).toContain(usual);
      expect(new Set(values).size).toBeGreaterThan(1);
      expect(meaning).toMatch(/^[A-Z0-9a-z].{15,}\.$/u);
      expect(statement).toMatch(/^G\d+\.\d+$/u);
    }
  });

  test('appears in the help with every value', () => {
    const help = sandboxHelp();
    for (const name of variantNames) {
      expect(help).toContain(name);
      expect(help).toContain(variantTable[name].meaning);
      expect(help).toContain(`[${variantTable[name].default}]`);
    }
  });
});

describe('switches written as text', () => {
  test('are accepted when known', () => {
    expect(parseVariants({ update: 'keep', hidden_cap: '10000' })).toEqual({
      update: 'keep',
      hidden_cap: '10000',
    });
  });

  test('are all rejected at once, with the allowed or intended value', () => {
    const wrong = { 'page-order': 'newest-first', update: 'merge', toString: 'x', constructor: 'y' };
    expect(() => parseVariants(wrong)).toThrow(
      [
        'unknown variant "page-order"; did you mean "page_order"?',
        'variant update cannot be "merge"; it can be replace, keep',
        'unknown variant "toString"',
      ].join('\n'),
    );
  });
});
