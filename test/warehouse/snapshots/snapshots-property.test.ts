import fc from 'fast-check';
import { expect, it } from 'vitest';
import { money, unixSeconds } from '../../../src/core/index.ts';
import type { KeyState, Warehouse } from '../../../src/warehouse/index.ts';
import { at, key, keysOf, snapshotOf } from './snapshots-support.ts';
import { openInMemory, testFolder } from '../support.ts';
import { few, chaosFactor } from '../../support/storm.ts';

const runs = few(7, 15 * chaosFactor);

/** Few ids and few states of each, so that keys come back, and come back as they were. */
const someKey = fc
  .record({
    id: fc.integer({ min: 1, max: 5 }),
    status: fc.constantFrom(undefined, 1, 2),
    remainQuota: fc.constantFrom('0', '0.1', '-7.000000000000000001').map(money),
    expiredTime: fc.constantFrom('never' as const, unixSeconds(0), unixSeconds(1_900_000_000)),
    group: fc.constantFrom(undefined, '', 'vip'),
  })
  .map(({ id, ...change }) => key(id, change));
const someKeys = fc.uniqueArray(someKey, { selector: ({ id }) => id, maxLength: 5 });
const readings = fc.array(fc.record({ moment: fc.integer({ min: 1, max: 12 }), keys: fc.option(someKeys) }), {
  minLength: 1,
  maxLength: 12,
});

const sorted = (keys: readonly KeyState[]): readonly KeyState[] =>
  keys.toSorted((left, right) => left.id - right.id);

/** Replays changes on a set of keys. */
const replay = async (
  { snapshots }: Warehouse,
  account: string,
  from: number,
  to: number,
  start: readonly KeyState[],
): Promise<readonly KeyState[]> => {
  const keys = new Map(start.map((one) => [one.id, one]));
  for (const change of await snapshots.changes(account, at(from), at(to))) {
    const known = keys.get(change.key.id);
    if (change.what === 'new') expect(known).toBeUndefined();
    if (change.what === 'gone') expect(known).toEqual(change.key);
    if (change.what === 'changed') {
      expect(known).toEqual(change.before);
      expect(change.key).not.toEqual(change.before);
    }
    if (change.what === 'gone') keys.delete(change.key.id);
    else keys.set(change.key.id, change.key);
  }
  return sorted([...keys.values()]);
};

it('any sequence of key sets, landed in any order, is returned for every moment and as changes', async () => {
  await using folder = await testFolder();
  await using warehouse = await openInMemory(folder);
  const { snapshots } = warehouse;
  let accounts = 0;
  await fc.assert(
    fc.asyncProperty(readings, async (sequence) => {
      accounts += 1;
      const account = `account ${accounts}`;
      const truth = new Map<number, readonly KeyState[]>();
      for (const { moment, keys } of sequence) {
        const { takenAt } = await snapshots.land(snapshotOf(moment, keys ?? undefined, { account }));
        if (keys !== null) truth.set(takenAt, sorted(keys));
      }
      const moments = [...truth.keys()].toSorted((left, right) => left - right);
      const [first] = moments;
      for (let moment = 0; moment <= 26; moment += 1) {
        const last = moments.findLast((one) => one <= moment);
        const found = await snapshots.inventoryAt(account, at(moment));
        expect(found?.takenAt).toBe(last);
        expect(keysOf(found)).toEqual(last === undefined ? undefined : truth.get(last));
        for (const { since, ...one } of found?.keys ?? []) {
          const before = moments.findLast((other) => other < since);
          expect(truth.get(since)).toContainEqual(one);
          expect(before === undefined ? [] : truth.get(before)).not.toContainEqual(one);
        }
      }
      if (first === undefined) return;
      for (const to of moments)
        expect(await replay(warehouse, account, first + 1, to + 1, truth.get(first) ?? [])).toEqual(
          truth.get(to),
        );
    }),
    { numRuns: runs },
  );
});
