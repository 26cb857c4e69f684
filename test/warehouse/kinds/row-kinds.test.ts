import { describe, expect, it } from 'vitest';
import { interval, unixMillis, unixSeconds } from '../../../src/core/index.ts';
import type { LogColumn, Warehouse } from '../../../src/warehouse/index.ts';
import { batchOf, openInMemory, type TestFolder, openNew } from '../support.ts';

const columns: readonly LogColumn[] = [
  { name: 'created_at', role: 'created_at' },
  { name: 'model_name', role: 'model_name' },
  { name: 'token_name', role: 'token_name' },
  { name: 'prompt_tokens', role: 'prompt_tokens' },
  { name: 'quota', role: 'quota' },
  { name: 'outcome' },
];

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
