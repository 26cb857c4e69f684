import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decideKindLabels,
  decideLabels,
  mayTellKinds,
  type LabelEvidence,
} from '../../../src/warehouse/kinds/decide-kinds.ts';

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

describe('the values of a column', () => {
  it('distinguish errors from calls when no row with the error value was used', () => {
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

  it('decide nothing when even one row with the error value was used', () => {
    for (const used of [{ charged: 1 }, { refunds: 1 }, { free: 1 }])
      expect(decided([word('success', { charged: 990 }), word('error', { bare: 50, ...used })])).toEqual({});
  });

  it('decide nothing when rows without a charge belong to models that were never charged', () => {
    expect(decided([word('1', { charged: 990 }), word('7', { bare: 40, bareOfChargedModels: 0 })])).toEqual(
      {},
    );
  });

  it('classify no row as a call when rows like errors have the same value', () => {
    expect(decided([word('a', { charged: 500, bare: 20 }), word('b', { bare: 20 })])).toEqual({ b: 'error' });
  });

  it('decide nothing when they are random', () => {
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

  it('are used only in columns named for an outcome or a kind', () => {
    for (const name of ['status', 'Status', 'status_code', 'log type', 'is_success', 'result', '状态'])
      expect(mayTellKinds(name)).toBe(true);
    for (const name of ['channel', 'vendor_id', 'group', 'use_time', 'is_stream', 'content', 'id', 'ip'])
      expect(mayTellKinds(name)).toBe(false);
  });
});

describe('unknown values of a column for kinds', () => {
  it('stay unknown beside known values, unless they are errors or refunds', () => {
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

  it('are not refunds when they name no model, as a deduction from the balance', () => {
    expect(decideKindLabels([word('adjustment', { refunds: 5, balance: 1 })], true)).toEqual(new Map());
    expect(decideKindLabels([word('deduction', { balance: 4 })], true)).toEqual(new Map());
  });

  it('are calls when no value is known and most of their rows were charged', () => {
    expect(decideKindLabels([word('billable', { charged: 990 }), word('void', { bare: 8 })], false)).toEqual(
      new Map([
        ['void', 'error'],
        ['billable', 'call'],
      ]),
    );
    expect(decideKindLabels([word('billable', { charged: 19 })], false)).toEqual(new Map());
  });
});
