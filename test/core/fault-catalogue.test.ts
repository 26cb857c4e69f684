import { describe, expect, it } from 'vitest';
import { catalogue } from '../../src/core/fault-catalogue.ts';
import { readSources } from '../architecture/imports.ts';

const root = new URL('../../src', import.meta.url).pathname;

const unusedCodes = (codes: readonly string[], texts: readonly string[]): string[] =>
  codes.filter((code) => !texts.some((text) => text.includes(`'${code}'`)));

describe('the fault catalogue', () => {
  it('has a next step for each fault, written as the end of a sentence', () => {
    for (const [code, { advice }] of Object.entries(catalogue)) {
      expect([code, advice.length > 20, /[.\s]$/.test(advice)]).toEqual([code, true, false]);
    }
  });

  it('contains no fault that is never thrown', async () => {
    const sources = await readSources(root);
    const texts = sources.filter(({ path }) => path !== 'base/fault-catalogue.ts').map(({ text }) => text);
    expect(unusedCodes(Object.keys(catalogue), texts)).toEqual([]);
    expect(unusedCodes(['never-thrown'], texts)).toEqual(['never-thrown']);
  });
});
