import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideKindLabels, decideLabels, mayTellKinds } from '../../../src/warehouse/kinds/decide-kinds.ts';
import type { LabelEvidence } from '../../../src/warehouse/kinds/decide-kinds.ts';

const word = (name: string, seen: Partial<LabelEvidence>): LabelEvidence => ({
  word: name,
  bare: 0,
  bareOfChargedModels: seen.bare ?? 0,
  charged: 0,
  refunds: 0,
  balance: 0,
  free: 0,
  ...seen,
});

const decided = (labels: readonly LabelEvidence[]): Record<string, string> =>
  Object.fromEntries(decideLabels(labels));

describe('the words of a column', () => {
  it('tell errors from calls where the word for errors has no row that was used', () => {
    expect(decided([word('success', { charged: 990 }), word('error', { bare: 1 })])).toEqual({
      success: 'call',
      error: 'error',
    });
    expect(
      decided([word('200', { charged: 990, bare: 0 }), word('500', { bare: 5 }), word('429', { bare: 1 })]),
    ).toEqual({
      200: 'call',
      500: 'error',
    });
  });

  it('tell nothing where a row with the word was used, be it one', () => {
    for (const used of [{ charged: 1 }, { refunds: 1 }, { free: 1 }])
      expect(decided([word('success', { charged: 990 }), word('error', { bare: 50, ...used })])).toEqual({});
  });

  it('tell nothing where rows without a charge are of models that nothing was ever charged for', () => {
    expect(decided([word('1', { charged: 990 }), word('7', { bare: 40, bareOfChargedModels: 0 })])).toEqual(
      {},
    );
  });

  it('call no row a call where rows like errors have the same word', () => {
    expect(decided([word('a', { charged: 500, bare: 20 }), word('b', { bare: 20 })])).toEqual({ b: 'error' });
  });

  it('tell nothing when they are drawn by chance', () => {
    const rows = fc.array(
      fc.record({ channel: fc.integer({ min: 1, max: 7 }), isBare: fc.integer({ min: 1, max: 20 }) }),
      {
        minLength: 1,
        maxLength: 400,
      },
    );
    fc.assert(
      fc.property(rows, (drawn) => {
        const labels = [1, 2, 3, 4, 5, 6, 7].map((channel) => {
          const of = drawn.filter((row) => row.channel === channel);
          const bare = of.filter(({ isBare }) => isBare === 1).length;
          return word(String(channel), { bare, charged: of.length - bare });
        });
        expect(decided(labels)).toEqual({});
      }),
    );
  });

  it('are looked at in columns alone whose names speak of an outcome or a kind', () => {
    for (const name of ['status', 'Status', 'status_code', 'log type', 'is_success', 'result', '状态'])
      expect(mayTellKinds(name)).toBe(true);
    for (const name of ['channel', 'vendor_id', 'group', 'use_time', 'is_stream', 'content', 'id', 'ip'])
      expect(mayTellKinds(name)).toBe(false);
  });
});

describe('unknown words of a column that is named for kinds', () => {
  it('stay unknown beside words that are known, unless they are errors or give back', () => {
    const bonus = word('bonus', { charged: 40 });
    expect(decideKindLabels([bonus], true)).toEqual(new Map());
    expect(
      decideKindLabels([bonus, word('failed_upstream', { bare: 9 }), word('credit', { refunds: 1 })], true),
    ).toEqual(
      new Map([
        ['failed_upstream', 'error'],
        ['credit', 'call'],
      ]),
    );
  });

  it('are no refunds where they name no model, as a deduction from the balance does', () => {
    expect(decideKindLabels([word('adjustment', { refunds: 5, balance: 1 })], true)).toEqual(new Map());
    expect(decideKindLabels([word('deduction', { balance: 4 })], true)).toEqual(new Map());
  });

  it('are calls where no word is known and most of their rows were charged', () => {
    expect(decideKindLabels([word('billable', { charged: 990 }), word('void', { bare: 8 })], false)).toEqual(
      new Map([
        ['void', 'error'],
        ['billable', 'call'],
      ]),
    );
    expect(decideKindLabels([word('billable', { charged: 19 })], false)).toEqual(new Map());
  });
});
