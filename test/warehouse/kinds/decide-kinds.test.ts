import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decideKindLabels,
  decideLabels,
  mayTellKinds,
  type LabelEvidence,
} from '../../../src/warehouse/kinds/decide-kinds.ts';
import { interval, unixMillis, unixSeconds } from '../../../src/core/index.ts';
import type { Warehouse } from '../../../src/warehouse/index.ts';
import { batchOf, columnsNamed, openInMemory, type TestFolder, openNew } from '../support.ts';

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

const columns = columnsNamed(['created_at', 'model_name', 'token_name', 'prompt_tokens', 'quota'], 'outcome');

const range = (start: number, end: number) => interval(unixSeconds(start), unixSeconds(end));

const land = async (warehouse: Warehouse, folder: TestFolder, start: number, lines: readonly string[]) =>
  warehouse.logs.landWindow(
    await batchOf(
      folder,
      lines.map((line, at) => `${start + at},${line}`),
      { columns, window: range(start, start + 900), asked: range(start, start + 900) },
    ),
  );

const paid = (count: number): readonly string[] =>
  Array.from({ length: count }, () => 'gpt,app,100,0.25,served');
const failed = (count: number): readonly string[] =>
  Array.from({ length: count }, () => 'gpt,app,0,0,refused');

const kindsOf = async (warehouse: Warehouse) => {
  const { calls, otherKinds } = await warehouse.spend('main', range(0, 9000));
  return { calls, errors: otherKinds.find(({ kind }) => kind === 'error')?.rows ?? 0 };
};

describe('errors proven by a column', () => {
  it('are excluded from calls from the first row on, and the changes to earlier sums are recorded', async () => {
    const { folder, warehouse } = await openNew(openInMemory);
    await land(warehouse, folder, 900, [...paid(100), ...failed(1)]);
    expect(await kindsOf(warehouse)).toEqual({ calls: 101, errors: 0 });
    expect(await warehouse.logs.unclear('main', range(0, 9000))).toBe(1);
    const second = await land(warehouse, folder, 1800, [...paid(200), ...failed(3)]);
    expect(second.restated).toBe(1);
    expect(await kindsOf(warehouse)).toEqual({ calls: 300, errors: 4 });
    expect(await warehouse.logs.unclear('main', range(0, 9000))).toBe(0);
    const { quarters } = await warehouse.restatements.since('main', unixMillis(0), range(0, 9000));
    expect(quarters.map(({ quarter, kind, old, new: now }) => [quarter, kind, old.calls, now.calls])).toEqual(
      [
        [900, 'consumption', 101, 100],
        [900, 'error', 0, 1],
      ],
    );
    const labels = await warehouse.logs.kindLabels('main');
    expect(labels.map(({ word, meaning }) => [word, meaning])).toEqual([
      ['refused', 'error'],
      ['served', 'call'],
    ]);
  });

  it('still count as use of their key', async () => {
    const { folder, warehouse } = await openNew(openInMemory);
    await land(warehouse, folder, 900, [...paid(200), ...failed(4)]);
    const use = (await warehouse.keys.uses('main', ['app'], range(0, 9000))).get('app');
    expect(use?.calls).toBe(204);
    expect(use?.lastCall).toBe(900 + 203);
  });
});

describe('a row of an export without kinds', () => {
  it('is not a call when it has no model, no key and no tokens', async () => {
    const { folder, warehouse } = await openNew(openInMemory);
    await land(warehouse, folder, 900, [
      ...paid(2),
      ',,0,50,served',
      ',,,0,served',
      ',,7,1,served',
      'gpt,,0,-0.5,served',
    ]);
    const { calls, net, otherKinds } = await warehouse.spend('main', range(0, 9000));
    expect([calls, net]).toEqual([3, '1']);
    expect(otherKinds).toEqual([
      { kind: 'system', rows: 1, amount: '0' },
      { kind: 'top-up', rows: 1, amount: '50' },
    ]);
  });

  it('that is replaced also replaces its unclear record', async () => {
    const { folder, warehouse } = await openNew(openInMemory);
    await land(warehouse, folder, 900, ['gpt,app,0,0,', ...paid(3)]);
    expect(await warehouse.logs.unclear('main', range(0, 9000))).toBe(1);
    await land(warehouse, folder, 900, paid(4));
    expect(await warehouse.logs.unclear('main', range(0, 9000))).toBe(0);
  });
});
