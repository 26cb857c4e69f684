import { join } from 'node:path';
import { fault, messageOf, type Clock, type Month } from '../../core/index.ts';
import { type Engine, ownFolder, inTransaction, text, type Sql } from '../../storage/index.ts';
import { callsWithJson } from '../logs/extra.ts';
import { setFileAccess, setFolderAccess, type ArchiveReader } from './archive-access.ts';
import {
  draftName,
  fileName,
  makeDurable,
  monthFolder,
  putInPlace,
  removeFile,
  sha256Of,
  type FileCheck,
} from './archive-files.ts';
import { noteFile, readMonthsIn, setState } from './archive-rows.ts';
import { readDigest, sameDigest, type Digest } from './digest.ts';
import { archivedCallsSql } from './relations.ts';

/** Dependencies of archive work. */
export type ArchiveDeps = {
  readonly engine: Engine;
  /** The archive folder. */
  readonly root: string;
  readonly clock: Clock;
  readonly files: FileCheck;
  readonly reader: ArchiveReader;
};

/** The steps of the work on a month, each reported when it is complete. */
export type ArchiveStep =
  | 'drafted'
  | 'verified'
  | 'noted'
  | 'placed'
  | 'recorded'
  | 'leaving'
  | 'left'
  | 'cleaned';

export type OnArchiveStep = (step: ArchiveStep, month: string) => void;

export const ofMonth = 'account = $account AND created_at >= $start AND created_at < $end';

export const monthBindings = (account: string, { range }: Pick<Month, 'range'>) => ({
  account,
  start: range.start,
  end: range.end,
});

/** Writes all rows of the month as one Parquet file, and returns the digest of exactly these rows. */
const writeDraft = async (connection: Sql, account: string, month: Month, draft: string): Promise<Digest> => {
  const bindings = monthBindings(account, month);
  await connection.execute(
    `COPY (SELECT * FROM ${callsWithJson} WHERE ${ofMonth}) TO $draft (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)`,
    { ...bindings, draft },
  );
  return readDigest(connection, callsWithJson, ofMonth, bindings);
};

/** Reads a file and compares it with the rows of the month in the table. @throws fault archive-unverified. */
export const verifyAgainst = async (
  connection: Sql,
  stored: Digest,
  path: string,
  { account, name }: { readonly account: string; readonly name: string },
): Promise<void> => {
  const unverified = (message: string, options = {}) =>
    fault('archive-unverified', `the file of ${account} for ${name} ${message}`, options);
  const found = await readDigest(connection, archivedCallsSql, 'true', { archive_files: [path] }).catch(
    (cause: unknown) => {
      throw unverified(`cannot be read: ${messageOf(cause).split('\n')[0] ?? ''}`, { cause });
    },
  );
  if (!sameDigest(stored, found))
    throw unverified(
      `contains ${found.rows} rows with the sum ${found.quota}, but the table contains ${stored.rows} rows with the sum ${stored.quota}`,
    );
};

const engineVersion = async (connection: Sql): Promise<string> =>
  text((await connection.rows('SELECT version() AS engine'))[0], 'engine');

/**
 * Writes the file of a month and verifies it; its rows stay in the table. An interrupted write leaves the table
 * unchanged, and the month is written again. Run it while nothing lands in the account.
 */
export const writeMonth = async (
  { engine, root, clock, reader }: ArchiveDeps,
  account: string,
  month: Month,
  onStep: OnArchiveStep,
  signal: AbortSignal | undefined,
): Promise<{ readonly rows: number; readonly bytes: number }> => {
  const folder = monthFolder(account, month.name);
  const draft = join(root, folder, draftName);
  await ownFolder(join(root, folder));
  await setFolderAccess(root, folder.split('/'), reader);
  try {
    return await engine.bulk(async (connection) => {
      const stored = await inTransaction(connection, async () =>
        writeDraft(connection, account, month, draft),
      );
      const { bytes } = await makeDurable(draft);
      onStep('drafted', month.name);
      const sha256 = await sha256Of(draft);
      await verifyAgainst(connection, stored, draft, { account, name: month.name });
      onStep('verified', month.name);
      const file = { account, month: month.name, file: `${folder}/${fileName(sha256)}`, sha256 };
      // The file is recorded before it is renamed, so that no unrecorded file ever exists.
      await inTransaction(connection, async () =>
        noteFile(
          connection,
          file,
          month,
          { ...stored, bytes, engine: await engineVersion(connection) },
          clock.now(),
        ),
      );
      onStep('noted', month.name);
      await setFileAccess(draft, reader);
      await putInPlace(draft, join(root, file.file), root);
      onStep('placed', month.name);
      await inTransaction(connection, async () => {
        for (const before of await readMonthsIn(connection, account, month.range))
          await setState(connection, before, 'void');
        await setState(connection, file, 'copy');
      });
      onStep('recorded', month.name);
      return { rows: stored.rows, bytes };
    }, signal);
  } catch (error) {
    await removeFile(draft).catch(() => undefined);
    throw error;
  }
};
