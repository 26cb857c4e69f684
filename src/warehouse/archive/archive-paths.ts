import { dirname, join } from 'node:path';

/** The default folder of the archive: beside the database, or beside the spool of an in-memory database. */
export const archiveFolderOf = (options: {
  readonly path: string;
  readonly spoolDirectory: string;
  readonly archiveDirectory?: string;
}): string =>
  options.archiveDirectory ??
  join(options.path === ':memory:' ? options.spoolDirectory : dirname(options.path), 'archive');

const encoder = new TextEncoder();

/**
 * Encodes any name as a path part: all but letters, digits, `_` and `-` become %XX of UTF-8, as Hive path readers
 * expect.
 */
export const encodePart = (name: string): string =>
  name.replaceAll(/[^A-Za-z0-9_-]/gu, (character) =>
    [...encoder.encode(character)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  );

/** The folder of a month, relative to the archive folder. */
export const monthFolder = (account: string, month: string): string =>
  `account=${encodePart(account)}/month=${month}`;

/** The name is the hash of the bytes, so a file never replaces a different one. */
export const fileName = (sha256: string): string => `calls-${sha256}.parquet`;

/** The file while it is written; work on an account is serialized. */
export const draftName = 'calls.draft';
