import { unixMillis, type UnixMillis } from '../../core/index.ts';
import { optionalText, wholeNumber, type Sql } from '../../storage/index.ts';
import { rangeOf, type KeyRange } from './key-rows.ts';
import { rangesHolding } from './land-keys.ts';
import type { Inventory, KeyChange } from './snapshot.ts';

export const readInventory = async (
  connection: Sql,
  account: string,
  moment: UnixMillis,
): Promise<Inventory | undefined> => {
  const [row] = await connection.rows(
    `SELECT max(taken_at) AS taken_at FROM account_snapshot
     WHERE account = $account AND key_count IS NOT NULL AND taken_at <= $moment`,
    { account, moment },
  );
  if (optionalText(row, 'taken_at') === undefined) return undefined;
  const takenAt = unixMillis(wholeNumber(row, 'taken_at'));
  const ranges = await rangesHolding(connection, account, takenAt);
  return { takenAt, keys: ranges.map(({ key, from }) => ({ ...key, since: from })) };
};

/** If a range ends where the next one of its key begins, the key changed then. */
const changeAt = (at: UnixMillis, ended: KeyRange | undefined, begun: KeyRange | undefined): KeyChange[] => {
  if (begun === undefined) return ended === undefined ? [] : [{ what: 'gone', at, key: ended.key }];
  return ended === undefined
    ? [{ what: 'new', at, key: begun.key }]
    : [{ what: 'changed', at, key: begun.key, before: ended.key }];
};

export const readChanges = async (
  connection: Sql,
  account: string,
  from: UnixMillis,
  to: UnixMillis,
): Promise<readonly KeyChange[]> => {
  const rows = await connection.rows(
    `SELECT *, (SELECT min(taken_at) FROM account_snapshot WHERE account = $account AND key_count IS NOT NULL) AS first
     FROM key_snapshot
     WHERE account = $account
       AND (valid_from >= $from AND valid_from < $to OR valid_until >= $from AND valid_until < $to)`,
    { account, from, to },
  );
  const first = rows[0] === undefined ? 0 : wholeNumber(rows[0], 'first');
  const within = (moment: UnixMillis): boolean => moment >= from && moment < to && moment !== first;
  const moments = new Map<string, { at: UnixMillis; id: number; ended?: KeyRange; begun?: KeyRange }>();
  for (const range of rows.map(rangeOf))
    for (const [at, end] of [
      [range.from, { begun: range }],
      [range.until, { ended: range }],
    ] as const) {
      if (!within(at)) continue;
      const name = `${at} ${range.key.id}`;
      moments.set(name, { ...moments.get(name), at, id: range.key.id, ...end });
    }
  return [...moments.values()]
    .sort((left, right) => left.at - right.at || left.id - right.id)
    .flatMap(({ at, ended, begun }) => changeAt(at, ended, begun));
};
