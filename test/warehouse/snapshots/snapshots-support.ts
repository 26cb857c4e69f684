import { money, unixMillis, unixSeconds } from '../../../src/core/index.ts';
import type { Inventory, KeyState, Snapshot } from '../../../src/warehouse/index.ts';

export const at = unixMillis;

export const key = (id: number, change: Partial<KeyState> = {}): KeyState => ({
  id,
  name: `key ${id}`,
  keyMask: 'sk-ab**********yz',
  status: 1,
  remainQuota: money('12.5'),
  unlimitedQuota: false,
  expiredTime: 'never',
  group: 'default',
  createdTime: unixSeconds(1_700_000_000 + id),
  rest: '{}',
  ...change,
});

export const profileOf = (
  usedQuota: string,
  change: Partial<NonNullable<Snapshot['profile']>> = {},
): NonNullable<Snapshot['profile']> => ({
  askedAt: at(1),
  username: 'someone',
  displayName: 'Someone',
  balance: money('100.25'),
  usedQuota: money(usedQuota),
  requestCount: 7,
  group: 'default',
  level: 1,
  rest: '{}',
  ...change,
});

export const snapshotOf = (
  takenAt: number,
  keys?: readonly KeyState[],
  change: Partial<Snapshot> = {},
): Snapshot => ({
  account: 'main',
  takenAt: at(takenAt),
  profile: profileOf(String(takenAt)),
  ...(keys === undefined ? {} : { keys }),
  ...change,
});

/** The keys of an inventory as they were landed. */
export const keysOf = (inventory: Inventory | undefined): readonly KeyState[] | undefined =>
  inventory?.keys.map((found) => {
    const { since, ...landed } = found;
    return since > 0 ? landed : found;
  });
