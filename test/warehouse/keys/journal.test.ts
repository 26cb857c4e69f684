import { expect, it } from 'vitest';
import { unixMillis } from '../../../src/core/index.ts';
import type { KeyJournalRow, LineageRow } from '../../../src/warehouse/index.ts';
import { openIn, testFolder, openNew } from '../support.ts';

const step = (seq: number, change: Partial<KeyJournalRow> = {}): KeyJournalRow => ({
  seq,
  at: unixMillis(1000 + seq),
  account: 'main',
  service: 'billing',
  rotation: 'r1',
  what: 'created',
  hash: `hash ${seq}`,
  event: JSON.stringify({ seq, name: 'a "b"\n\u0000\ud800 ü', at: 1.5 }),
  ...change,
});

const line = (keyId: number, change: Partial<LineageRow> = {}): LineageRow => ({
  account: 'main',
  keyId,
  service: 'billing',
  generation: keyId,
  name: `billing.g${keyId}`,
  born: unixMillis(keyId),
  ...change,
});

it('the journal stores steps exactly and in order, and returns the requested ones', async () => {
  await using folder = await testFolder();
  {
    await using warehouse = await openIn(folder);
    expect(await warehouse.keys.last()).toBeUndefined();
    await warehouse.keys.append([step(1), step(2, { rotation: 'r2' })], []);
    await warehouse.keys.append([step(3, { account: 'other', service: 'search' })], []);
  }
  await using warehouse = await openIn(folder);
  expect(await warehouse.keys.events()).toEqual([
    step(1),
    step(2, { rotation: 'r2' }),
    step(3, { account: 'other', service: 'search' }),
  ]);
  const seqs = async (filter: Parameters<typeof warehouse.keys.events>[0]) =>
    (await warehouse.keys.events(filter)).map(({ seq }) => seq);
  expect(await seqs({ account: 'main' })).toEqual([1, 2]);
  expect(await seqs({ service: 'search' })).toEqual([3]);
  expect(await seqs({ account: 'main', rotation: 'r2' })).toEqual([2]);
  expect(await seqs({ account: 'other', rotation: 'r2' })).toEqual([]);
  expect(await warehouse.keys.last()).toEqual({ seq: 3, hash: 'hash 3' });
});

it('a duplicate step is rejected together with its whole batch', async () => {
  const { warehouse } = await openNew();
  await warehouse.keys.append([step(1)], [line(7)]);
  for (const steps of [
    [step(2), step(1)],
    [step(2), step(2)],
  ])
    await expect(
      warehouse.keys.append(steps, [line(7, { service: 'search' }), line(8)]),
    ).rejects.toMatchObject({ code: 'warehouse-failed' });
  expect(await warehouse.keys.events()).toEqual([step(1)]);
  expect(await warehouse.keys.lineage('main')).toEqual([line(7)]);
});

it('a key has one position in the generations of its account, the last one written', async () => {
  const { warehouse } = await openNew();
  const retired = line(1, { retired: unixMillis(99) });
  await warehouse.keys.append([], [line(2), line(1), line(1, { account: 'other' })]);
  await warehouse.keys.append([], [line(1), retired, line(3, { service: 'a' })]);
  expect(await warehouse.keys.lineage('main')).toEqual([line(3, { service: 'a' }), retired, line(2)]);
  expect(await warehouse.keys.lineage('other')).toEqual([line(1, { account: 'other' })]);
  expect(await warehouse.keys.lineage('nobody')).toEqual([]);
});
