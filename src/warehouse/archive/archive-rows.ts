import type { Interval, UnixMillis, UnixSeconds, Month } from '../../core/index.ts';
import {
  all,
  amount,
  column,
  label,
  millis,
  optional,
  readAs,
  rowReader,
  secondsRange,
  text,
  wholeNumber,
  type Bindings,
  type Sql,
} from '../../storage/index.ts';
import type { ArchiveFile } from './archive-files.ts';
import type { Digest } from './digest.ts';

/** `void`: not valid yet, or no longer; `copy`: the rows are in the table too; `sole`: the rows have left the table. */
export type ArchiveState = 'void' | 'copy' | 'sole';

/** A file of the archive, with what was found when it was read back. */
export type ArchivedMonth = ArchiveFile &
  Digest & {
    readonly range: Interval<UnixSeconds>;
    readonly state: ArchiveState;
    /** The DuckDB version that computed the checksum. */
    readonly engine: string;
    readonly bytes: number;
    readonly writtenAt: UnixMillis;
    readonly leftAt: UnixMillis | undefined;
  };

const archivedMonth = rowReader({
  ...all(text, 'account', 'month', 'file', 'checksum', 'engine', 'sha256'),
  range: secondsRange,
  state: label<ArchiveState>(),
  rows: column('row_count', wholeNumber),
  quota: amount,
  bytes: wholeNumber,
  writtenAt: millis,
  leftAt: optional(millis),
});

const select = async (
  connection: Sql,
  where: string,
  bindings: Bindings,
): Promise<readonly ArchivedMonth[]> =>
  readAs(
    connection,
    archivedMonth,
    `SELECT * FROM call_archive WHERE account = $account AND ${where} ORDER BY start_at, file`,
    bindings,
  );

/** The valid files of an account, oldest month first. */
export const readMonths = async (connection: Sql, account: string): Promise<readonly ArchivedMonth[]> =>
  select(connection, `state <> 'void'`, { account });

/** The valid files that overlap the range. */
export const readMonthsIn = async (
  connection: Sql,
  account: string,
  range: Interval<UnixSeconds>,
): Promise<readonly ArchivedMonth[]> =>
  select(connection, `state <> 'void' AND start_at < $end AND end_at > $start`, {
    account,
    start: range.start,
    end: range.end,
  });

/** Files of all accounts that alone contain their rows, and the one that is about to. */
export const readSoleFiles = async (connection: Sql, leaving?: string): Promise<readonly string[]> => {
  const rows = await connection.rows(
    `SELECT file FROM call_archive WHERE state = 'sole' OR file = $leaving ORDER BY file`,
    { leaving: leaving ?? null },
  );
  return rows.map((row) => text(row, 'file'));
};

/** Files that can be deleted once no reader uses them. */
export const readVoid = async (connection: Sql, account: string): Promise<readonly ArchivedMonth[]> =>
  select(connection, `state = 'void'`, { account });

/** Records a file before it gets its name. A void row of the same file becomes valid again. */
export const noteFile = async (
  connection: Sql,
  { account, file, sha256 }: ArchiveFile,
  month: Month,
  found: Digest & { readonly engine: string; readonly bytes: number },
  at: UnixMillis,
): Promise<void> => {
  await connection.execute(`DELETE FROM call_archive WHERE account = $account AND file = $file`, {
    account,
    file,
  });
  await connection.execute(
    `INSERT INTO call_archive (account, month, start_at, end_at, state, file, row_count, quota, checksum, engine, bytes,
       sha256, written_at, left_at)
     VALUES ($account, $month, $start, $end, 'void', $file, $rows, CAST($quota AS DECIMAL(38, 12)), $checksum, $engine,
       $bytes, $sha256, $at, NULL)`,
    {
      account,
      month: month.name,
      start: month.range.start,
      end: month.range.end,
      file,
      rows: found.rows,
      quota: found.quota,
      checksum: found.checksum,
      engine: found.engine,
      bytes: found.bytes,
      sha256,
      at,
    },
  );
};

export const setState = async (
  connection: Sql,
  { account, file }: Pick<ArchiveFile, 'account' | 'file'>,
  state: ArchiveState,
  leftAt: UnixMillis | null = null,
): Promise<void> => {
  await connection.execute(
    'UPDATE call_archive SET state = $state, left_at = $leftAt WHERE account = $account AND file = $file',
    { account, file, state, leftAt },
  );
};

export const forgetFile = async (
  connection: Sql,
  { account, file }: Pick<ArchiveFile, 'account' | 'file'>,
): Promise<void> => {
  await connection.execute(
    `DELETE FROM call_archive WHERE account = $account AND file = $file AND state = 'void'`,
    { account, file },
  );
};
