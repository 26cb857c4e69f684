import fc from 'fast-check';
import { expect, it } from 'vitest';
import { interval, unixMillis, unixSeconds } from '../../../src/core/index.ts';
import { type LearnedPoint, type Warehouse } from '../../../src/warehouse/index.ts';
import { openWarehouse } from '../../support/postgres-warehouse.ts';
import {
  columnChanges,
  type KnownColumn,
  type SeenColumns,
} from '../../../src/warehouse/profile/column-changes.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { batchOf, openNew, optionsIn } from '../support.ts';

const begin = unixMillis(Date.UTC(2026, 0, 1));

/** A warehouse whose clock stands still until it is told to go on. */
const open = async () => {
  const clock = manualClock(begin);
  const opened = await openNew(async (folder) => openWarehouse({ ...optionsIn(folder), clock }));
  return {
    clock,
    ...opened,
    logs: opened.warehouse.logs,
    profile: opened.warehouse.profile,
    spend: opened.warehouse.spend,
  };
};

const form = (value: string, evidence: string): LearnedPoint => ({
  point: 'log.time_form',
  value,
  evidence,
  how: 'data',
});

it('the export format has one row per point, confirms repeated observations and keeps earlier evidence', async () => {
  const { clock, profile } = await open();
  expect(await profile.learn('main', [form('seconds', 'reads 1767225600')])).toHaveLength(1);
  clock.advance(1000);
  expect(await profile.learn('main', [form('seconds', 'reads 1767225601')])).toEqual([]);
  expect(await profile.points('main')).toEqual([
    {
      ...form('seconds', 'reads 1767225600'),
      learnedAt: begin,
      confirmedAt: begin + 1000,
    },
  ]);
  clock.advance(1000);
  expect(await profile.learn('main', [form('rfc3339', 'reads 2026-01-01T00:00:00Z')])).toHaveLength(1);
  expect(await profile.points('main')).toMatchObject([{ value: 'rfc3339', learnedAt: begin + 2000 }]);
  expect(await profile.past('main')).toEqual([
    { ...form('seconds', 'reads 1767225600'), learnedAt: begin, until: begin + 2000 },
  ]);
  expect(await profile.points('other')).toEqual([]);
});

it('a point that becomes configured is no longer an observed one', async () => {
  const { profile } = await open();
  await profile.learn('main', [form('seconds', 'reads 1')]);
  const output: LearnedPoint = { ...form('seconds', 'gateway.timestamps'), how: 'config' };
  expect(await profile.learn('main', [output])).toEqual([]);
  expect(await profile.points('main')).toMatchObject([output]);
});

const shown = (...names: string[]): SeenColumns => ({ unasked: names.map((name) => ({ name })) });

/** What operators are to be notified of, each time of what is new. */
const freshOf = async (
  { notifyOnce }: Warehouse,
  whileSending = async () => {},
): Promise<readonly string[]> => {
  let names: readonly string[] = [];
  await notifyOnce('learned', 'main', async (fresh) => {
    names = fresh.map(({ topic, name }) => `${topic} ${name}`);
    await whileSending();
    return [];
  });
  return names;
};

it('the export format records columns that appear, disappear and return, and reports each once', async () => {
  const fixture = await open();
  const { profile } = fixture.warehouse;
  const names = async () => freshOf(fixture.warehouse);
  await profile.noteColumns('main', shown('created_at', 'quota'));
  expect(await names()).toEqual([]);
  fixture.clock.advance(1000);
  await profile.noteColumns('main', shown('created_at', 'quota', 'tier'));
  await profile.noteColumns('main', shown('created_at', 'quota', 'tier'));
  expect(await names()).toEqual(['column-appeared tier']);
  expect(await names()).toEqual([]);
  fixture.clock.advance(1000);
  await profile.noteColumns('main', shown('created_at', 'tier'));
  await profile.noteColumns('main', shown('created_at', 'tier'));
  expect(await names()).toEqual(['column-gone quota']);
  expect((await profile.columns('main')).find(({ name }) => name === 'quota')).toMatchObject({
    firstSeen: begin,
    lastSeen: begin + 1000,
    goneAt: begin + 2000,
  });
  fixture.clock.advance(1000);
  await profile.noteColumns('main', shown('created_at', 'tier', 'quota'));
  expect(await names()).toEqual(['column-appeared quota']);
});

it('a change recorded while a mail is written is in that mail', async () => {
  const fixture = await open();
  const { profile } = fixture.warehouse;
  await profile.noteColumns('main', shown('created_at'));
  await profile.noteColumns('main', shown('created_at', 'a'));
  // Also in the same millisecond.
  const noted = await freshOf(fixture.warehouse, async () => {
    await profile.noteColumns('main', shown('created_at', 'a', 'b'));
  });
  expect(noted).toEqual(['column-appeared a', 'column-appeared b']);
  expect(await freshOf(fixture.warehouse)).toEqual([]);
});

it('a change that could not be reported is reported again', async () => {
  const fixture = await open();
  const { profile } = fixture.warehouse;
  await profile.noteColumns('main', shown('created_at'));
  await profile.noteColumns('main', shown('created_at', 'a'));
  const failed = freshOf(fixture.warehouse, async () => {
    throw new Error('disk full');
  });
  await expect(failed).rejects.toThrow('disk full');
  expect(await freshOf(fixture.warehouse)).toEqual(['column-appeared a']);
  expect(await freshOf(fixture.warehouse)).toEqual([]);
});

const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'));
const columnsOf = (list: readonly string[]) => list.map((name) => ({ name }));
const seenColumns: fc.Arbitrary<SeenColumns> = fc.record(
  {
    unasked: fc.option(names.map(columnsOf), { nil: undefined }),
    answered: fc.record({ asked: names, columns: names.map(columnsOf) }),
  },
  { requiredKeys: ['unasked'] },
);

it('no sequence of pulls loses a column, marks a present column as gone or reports an unchanged one', () => {
  fc.assert(
    fc.property(fc.array(seenColumns, { maxLength: 8 }), (pulls) => {
      let known: readonly KnownColumn[] = [];
      for (const [index, seen] of pulls.entries()) {
        const now = unixMillis(index + 1);
        const { columns, appeared, gone } = columnChanges(known, seen, now);
        const present = new Set(
          [...(seen.unasked ?? []), ...(seen.answered?.columns ?? [])].map((c) => c.name),
        );
        const state = new Map(columns.map((column) => [column.name, column]));
        expect(state.size).toBe(columns.length);
        for (const { name } of known) expect(state.has(name)).toBe(true);
        for (const name of present)
          expect(state.get(name)).toMatchObject({ lastSeen: now, goneAt: undefined });
        for (const { name } of gone) {
          expect(present.has(name)).toBe(false);
          expect(known.find((column) => column.name === name)?.goneAt).toBe(undefined);
        }
        for (const { name } of appeared) {
          const before = known.find((column) => column.name === name);
          expect(before === undefined || before.goneAt !== undefined).toBe(true);
        }
        // What was seen once more changes nothing.
        const again = columnChanges(columns, seen, now);
        expect([again.appeared, again.gone]).toEqual([[], []]);
        known = columns;
      }
    }),
  );
});

it('a column is gone only when it was requested by name and not returned', () => {
  const known = columnChanges(
    [],
    {
      unasked: columnsOf(['created_at']),
      answered: { asked: ['reasoning_tokens'], columns: columnsOf(['reasoning_tokens']) },
    },
    begin,
  ).columns;
  const onlyShown = columnChanges(known, { unasked: columnsOf(['created_at']) }, begin);
  expect(onlyShown.gone).toEqual([]);
  const asked = { asked: ['reasoning_tokens'], columns: columnsOf(['created_at']) };
  const missed = columnChanges(known, { unasked: columnsOf(['created_at']), answered: asked }, begin);
  expect(missed.gone).toMatchObject([{ name: 'reasoning_tokens' }]);
  expect(columnChanges(known, { unasked: undefined }, begin).gone).toEqual([]);
});

it('a row kind is spend, refund, excluded or unknown, and an unknown kind is reported once and not counted', async () => {
  const { folder, profile, logs, spend } = await open();
  const kindColumns = ['created_at', 'model_name', 'token_name', 'kind', 'quota'] as const;
  const batch = await batchOf(
    folder,
    ['1000,m,k,2,1.5', '1001,m,k,6,-0.5', '1002,,,1,100', '1003,m,k,9,7', '1004,m,k,9,7'],
    { columns: kindColumns.map((name) => ({ name, role: name })) },
  );
  await logs.landWindow(batch);
  expect(await profile.noteKinds('main', batch.window)).toEqual(['9']);
  expect(await profile.noteKinds('main', batch.window)).toEqual([]);
  expect(await profile.changes('main')).toMatchObject([
    { topic: 'kind-unknown', name: '9', evidence: expect.stringContaining('2 rows') as string },
  ]);
  const values = (await profile.points('main')).map(({ point, value }) => [point, value]);
  expect(values).toEqual([
    ['log.kind.9', expect.stringMatching(/^unknown: /)],
    ['log.kind.consumption', 'spend'],
    ['log.kind.refund', 'refunds, deducted from spend'],
    ['log.kind.top-up', 'listed separately, not spend'],
  ]);
  const charged = await spend('main', interval(unixSeconds(900), unixSeconds(1800)));
  expect(charged).toMatchObject({ consumption: '1.5', refunds: '0.5', net: '1', calls: 1 });
  expect(charged.otherKinds).toEqual([
    { kind: '9', rows: 2, amount: '14' },
    { kind: 'top-up', rows: 1, amount: '100' },
  ]);
});
