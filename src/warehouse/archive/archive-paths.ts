import { dirname, join } from 'node:path';

/** Where the archive is kept unless it is said: beside the database, or with the spool of one in memory. */
export const archiveFolderOf = (options: {
  readonly path: string;
  readonly spoolDirectory: string;
  readonly archiveDirectory?: string;
}): string =>
  options.archiveDirectory ??
  join(options.path === ':memory:' ? options.spoolDirectory : dirname(options.path), 'archive');

const encoder = new TextEncoder();

/** Any name as a part of a path: all but letters, digits, `_` and `-` as %XX of its UTF-8, which readers of Hive paths undo. */
export const encodePart = (name: string): string =>
  name.replaceAll(/[^A-Za-z0-9_-]/gu, (character) =>
    [...encoder.encode(character)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  );

/** The folder of a month, from that of the archive. */
export const monthFolder = (account: string, month: string): string =>
  `account=${encodePart(account)}/month=${month}`;

/** Named by its bytes, so that no file ever takes the place of a different one. */
export const fileName = (sha256: string): string => `calls-${sha256}.parquet`;

/** What is being written; work on an account is done one by one. */
export const draftName = 'calls.draft';
