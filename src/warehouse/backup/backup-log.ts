import type { UnixMillis } from '../../core/index.ts';
import {
  all,
  label,
  millis,
  optional,
  rowReader,
  inTransaction,
  text,
  wholeNumber,
  type StateEngine,
} from '../../storage/index.ts';

/** The table of backups, which schema 31 adds. */
export const backupStatements = [
  // The backups that were taken, and the last drill of each. `drill` is restored where its data was restored and found equal,
  // and compared where only the checksums of an encrypted backup were.
  `CREATE TABLE backup (
    target VARCHAR NOT NULL, name VARCHAR NOT NULL, taken_at BIGINT NOT NULL, bytes BIGINT NOT NULL,
    new_bytes BIGINT NOT NULL, drilled_at BIGINT, drill VARCHAR, UNIQUE (target, name)
  )`,
] as const;

export type Drilled = 'restored' | 'compared';

export type LoggedBackup = {
  /** The folder or file. */
  readonly target: string;
  /** Such as `20261126T090000Z`. */
  readonly name: string;
  readonly takenAt: UnixMillis;
  readonly bytes: number;
  readonly newBytes: number;
  readonly drilledAt?: UnixMillis | undefined;
  readonly drill?: Drilled | undefined;
};

export type BackupLog = {
  /** Records a backup that is complete. */
  readonly note: (backup: Omit<LoggedBackup, 'drilledAt' | 'drill'>) => Promise<void>;
  /** Records a drill; a backup that this database does not know, such as a copy, is ignored. */
  readonly noteDrill: (
    key: Pick<LoggedBackup, 'target' | 'name'>,
    drill: Drilled,
    at: UnixMillis,
  ) => Promise<void>;
  /** Removes the records of backups that were deleted. */
  readonly forget: (target: string, names: readonly string[]) => Promise<void>;
  /** The newest backup, and the one whose data was last restored and found equal. */
  readonly newest: () => Promise<{
    readonly taken?: LoggedBackup | undefined;
    readonly restored?: LoggedBackup | undefined;
  }>;
};

const logged = rowReader({
  ...all(text, 'target', 'name'),
  ...all(wholeNumber, 'bytes', 'newBytes'),
  takenAt: millis,
  drilledAt: optional(millis),
  drill: optional(label<Drilled>()),
});

export const createBackupLog = (engine: StateEngine): BackupLog => ({
  note: async ({ target, name, takenAt, bytes, newBytes }) =>
    engine.state(async (connection) =>
      inTransaction(connection, async () => {
        await connection.execute('DELETE FROM backup WHERE target = $target AND name = $name', {
          target,
          name,
        });
        await connection.execute(
          `INSERT INTO backup (target, name, taken_at, bytes, new_bytes)
           VALUES ($target, $name, $takenAt, $bytes, $newBytes)`,
          { target, name, takenAt, bytes, newBytes },
        );
      }),
    ),
  noteDrill: async ({ target, name }, drill, at) =>
    engine.state(
      async (connection) =>
        void (await connection.execute(
          `UPDATE backup SET drill = $drill, drilled_at = $at WHERE target = $target AND name = $name`,
          { target, name, drill, at },
        )),
    ),
  forget: async (target, names) =>
    engine.state(
      async (connection) =>
        void (await connection.execute('DELETE FROM backup WHERE target = $target AND name = ANY($names)', {
          target,
          names,
        })),
    ),
  newest: async () =>
    engine.state(async (connection) => {
      const [taken] = await connection.rows('SELECT * FROM backup ORDER BY taken_at DESC LIMIT 1');
      const [restored] = await connection.rows(
        `SELECT * FROM backup WHERE drill = 'restored' ORDER BY drilled_at DESC LIMIT 1`,
      );
      return { taken: taken && logged(taken), restored: restored && logged(restored) };
    }),
});
