import { createHash } from 'node:crypto';
import { z } from 'zod';
import { fault } from '../core/index.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const file = z.strictObject({
  /** Path in the data folder, or below `archive/` for the archive, which can lie elsewhere. */
  path: z.string().regex(/^(?!\/)(?!(?:.*\/)?\.\.?(?:\/|$))[^\0]+$/),
  /** Bytes. */
  size: z.int().min(0),
  /** Permission bits. */
  mode: z.int().min(0).max(0o777),
  /** SHA-256 of the chunks that the file consists of, in order. */
  chunks: z.array(sha256).readonly(),
});

/** What a backup consists of and what its data amount to. Written last: a backup without a manifest does not exist. */
const manifest = z.strictObject({
  format: z.literal('tollkeeper-backup'),
  version: z.literal(1),
  /** ISO 8601, UTC: the moment that all files are of. */
  at: z.iso.datetime(),
  /** Of the program that wrote it. */
  program: z.string(),
  /** Of the database. */
  schema: z.int(),
  files: z.array(file).readonly(),
  /** Rows of each table. */
  rows: z.record(z.string(), z.int()),
  /** The charges of each account, as exact decimals in its currency. */
  charges: z.record(z.string(), z.string()),
  /** The audit log of keys: its number of entries and the hash of the last one. */
  audit: z.strictObject({ entries: z.int(), head: z.string() }),
});

export type BackupFile = z.infer<typeof file>;
export type Manifest = z.infer<typeof manifest>;

export const sha256Of = (bytes: Uint8Array | string): string =>
  createHash('sha256').update(bytes).digest('hex');

/** The text of a manifest: one line of JSON, and its SHA-256 in the next. */
export const manifestText = (value: Manifest): string => {
  const json = JSON.stringify(value);
  return `${json}\n${sha256Of(json)}\n`;
};

/** @throws fault backup-damaged, backup-newer; `where` names the file. */
export const readManifest = (text: string, where: string): Manifest => {
  const [json = '', hash, ...rest] = text.split('\n');
  if (sha256Of(json) !== hash || rest.join('\n') !== '')
    throw fault('backup-damaged', `${where} is damaged: its content does not match its checksum`);
  const value = JSON.parse(json) as { readonly format?: unknown; readonly version?: unknown };
  if (value.format === 'tollkeeper-backup' && typeof value.version === 'number' && value.version > 1)
    throw fault('backup-newer', `${where} has version ${value.version}, and this program reads version 1`);
  return manifest.parse(value);
};
