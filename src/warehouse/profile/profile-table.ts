import type { Clock, Interval, UnixMillis, UnixSeconds } from '../../core/index.ts';
import { inTransaction, type StateEngine } from '../../storage/index.ts';
import { columnChanges, type ColumnChanges, type KnownColumn, type SeenColumns } from './column-changes.ts';
import { kindPoints, readLandedKinds } from './landed-kinds.ts';
import { readColumns, writeColumns } from './learned-columns.ts';
import { readLearnedChanges, writeLearnedChanges, type LearnedChange } from './learned-changes.ts';
import {
  learnPoints,
  readPastPoints,
  readPoints,
  type KnownPoint,
  type LearnedPoint,
  type PastPoint,
} from './learned-point.ts';

/** What was learned about each account's gateway, with the evidence. */
export type ProfileTable = {
  /** Stores points; returns those whose value is new or changed. An unchanged value keeps its first evidence. */
  readonly learn: (account: string, points: readonly LearnedPoint[]) => Promise<readonly LearnedPoint[]>;
  /** The current value of each point, by name. */
  readonly points: (account: string) => Promise<readonly KnownPoint[]>;
  /** Earlier values of points, oldest first. */
  readonly past: (account: string) => Promise<readonly PastPoint[]>;
  /** Every column of the log export that was ever seen. */
  readonly columns: (account: string) => Promise<readonly KnownColumn[]>;
  /** Compares the columns of a pull with the known ones, and records those that appeared and disappeared as changes. */
  readonly noteColumns: (account: string, seen: SeenColumns) => Promise<Omit<ColumnChanges, 'columns'>>;
  /** Stores the kinds of rows in a landed window, records new unknown ones as changes, and returns their names. */
  readonly noteKinds: (account: string, window: Interval<UnixSeconds>) => Promise<readonly string[]>;
  /** What operators are notified of, oldest first. */
  readonly changes: (account: string) => Promise<readonly LearnedChange[]>;
};

const columnAlerts =
  (topic: 'column-appeared' | 'column-gone', notedAt: UnixMillis) =>
  ({ name, role = '' }: KnownColumn): LearnedChange => ({ topic, name, role, notedAt });

export const createProfileTable = (engine: StateEngine, clock: Clock): ProfileTable => ({
  learn: async (account, points) =>
    engine.state(async (connection) =>
      inTransaction(connection, async () => learnPoints(connection, account, points, clock.now())),
    ),
  points: async (account) => engine.state(async (connection) => readPoints(connection, account)),
  past: async (account) => engine.state(async (connection) => readPastPoints(connection, account)),
  columns: async (account) => engine.state(async (connection) => readColumns(connection, account)),
  noteColumns: async (account, seen) =>
    engine.state(async (connection) =>
      inTransaction(connection, async () => {
        const now = clock.now();
        const { columns, appeared, gone } = columnChanges(await readColumns(connection, account), seen, now);
        await writeColumns(connection, account, columns);
        await writeLearnedChanges(connection, account, [
          ...appeared.map(columnAlerts('column-appeared', now)),
          ...gone.map(columnAlerts('column-gone', now)),
        ]);
        return { appeared, gone };
      }),
    ),
  noteKinds: async (account, window) => {
    const landed = await engine.bulk(async (connection) => readLandedKinds(connection, account, window));
    const points = kindPoints(landed, window);
    return engine.state(async (connection) =>
      inTransaction(connection, async () => {
        const now = clock.now();
        const fresh = new Set(
          (await learnPoints(connection, account, points, now)).map(({ point }) => point),
        );
        const unknown = points.filter(({ point, known }) => !known && fresh.has(point));
        await writeLearnedChanges(
          connection,
          account,
          unknown.map(({ kind, evidence }) => ({
            topic: 'kind-unknown',
            name: kind,
            evidence,
            notedAt: now,
          })),
        );
        return unknown.map(({ kind }) => kind);
      }),
    );
  },
  changes: async (account) => engine.state(async (connection) => readLearnedChanges(connection, account)),
});
