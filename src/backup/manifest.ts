import { createHash } from 'node:crypto';
import { z } from 'zod';
import { fault, issueText, messageOf, type Cipher, type Decipher } from '../core/index.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const file = z.strictObject({
  /** Path in the data folder, or below `archive/` for the archive, which can lie elsewhere. */
  path: z.string().regex(/^(?!\/)(?!(?:.*\/)?\.\.?(?:\/|$))[^\0]+$/),
  /** Bytes. */
  size: z.int().min(0),
  /** Permission bits. */
  mode: z.int().min(0).max(0o777),
  /** SHA-256 of the chunks that the file consists of, in order; none in a backup that is one file, which has sums of its own. */
  chunks: z.array(sha256).readonly(),
});

/** What the data of a backup amount to. */
const facts = z.strictObject({
  /** Rows of each table. */
  rows: z.record(z.string(), z.int()),
  /** The charges of each account, as exact decimals in its currency. */
  charges: z.record(z.string(), z.string()),
  /** The audit log of keys: its number of entries and the hash of the last one. */
  audit: z.strictObject({ entries: z.int(), head: z.string() }),
});

/**
 * What a backup consists of. Written last: a backup without a manifest does not exist. Paths, sizes and times stay
 * readable in an encrypted backup; contents and facts do not.
 */
const manifest = z.strictObject({
  format: z.literal('tollkeeper-backup'),
  version: z.literal(1),
  /** ISO 8601, UTC: the moment that all files are of. */
  at: z.iso.datetime(),
  /** Of the program that wrote it. */
  program: z.string(),
  /** Of the database. */
  schema: z.int(),
  encrypted: z.boolean(),
  /** Which recipients the chunks are encrypted for, in a folder of backups; see `Cipher`. */
  recipients: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
  files: z.array(file).readonly(),
});

/** In the file, encrypted facts are the base64 of their JSON in the format of age. */
const written = manifest.extend({ facts: z.union([facts, z.base64()]) });

export type BackupFile = z.infer<typeof file>;
export type Facts = z.infer<typeof facts>;

/** The facts are absent if they are encrypted and were read without an identity. */
export type Manifest = z.infer<typeof manifest> & { readonly facts?: Facts | undefined };

/** What the writer of a backup states about it. */
export type ManifestDraft = Pick<Manifest, 'at' | 'program' | 'schema' | 'files'> & {
  readonly facts: Facts;
};

/** The name of a backup, which every file system and shell takes, from its moment: `20261126T090000Z`. */
export const nameOf = (at: string): string => at.replaceAll(/[-:]|\.\d+/g, '');

export const sha256Of = (bytes: Uint8Array | string): string =>
  createHash('sha256').update(bytes).digest('hex');

/** The text of a value of a manifest: one line of JSON, and its SHA-256 in the next. */
const withChecksum = (value: z.infer<typeof written>): string => {
  const json = JSON.stringify(value);
  return `${json}\n${sha256Of(json)}\n`;
};

const headOf = ({ at, program, schema, files }: Omit<ManifestDraft, 'facts'>, encrypted: boolean) => ({
  format: 'tollkeeper-backup' as const,
  version: 1 as const,
  at,
  program,
  schema,
  encrypted,
  files,
});

/** The text of the manifest of a backup in a folder. With a cipher, its facts are encrypted. */
export const manifestText = async (draft: ManifestDraft, cipher?: Cipher): Promise<string> => {
  if (cipher === undefined) return withChecksum({ ...headOf(draft, false), facts: draft.facts });
  const facts = Buffer.from(await cipher.encrypt(Buffer.from(JSON.stringify(draft.facts))));
  const { recipients } = cipher;
  return withChecksum({ ...headOf(draft, true), recipients, facts: facts.toString('base64') });
};

/** The text of the manifest in a file, which is encrypted as a whole. */
export const packedManifestText = (draft: ManifestDraft, encrypted: boolean): string =>
  withChecksum({ ...headOf(draft, encrypted), facts: draft.facts });

const decryptFacts = async (text: string, decipher: Decipher, where: string): Promise<Facts> => {
  const json = await decipher.decrypt(Buffer.from(text, 'base64')).catch((error: unknown) => {
    // The checksum of the manifest is right, so that the identity is the only thing that can be wrong.
    throw fault('backup-identity', `the identity does not decrypt ${where}: ${messageOf(error)}`, {
      cause: error,
    });
  });
  return facts.parse(JSON.parse(Buffer.from(json).toString()));
};

/**
 * Encrypted facts are absent without a decipher; `where` names the file.
 * @throws fault backup-damaged, backup-newer, backup-identity
 */
export const readManifest = async (text: string, where: string, decipher?: Decipher): Promise<Manifest> => {
  const [json = '', hash, ...rest] = text.split('\n');
  if (sha256Of(json) !== hash || rest.join('\n') !== '')
    throw fault('backup-damaged', `${where} is damaged: its content does not match its checksum`);
  const value = JSON.parse(json) as { readonly format?: unknown; readonly version?: unknown };
  if (value.format === 'tollkeeper-backup' && typeof value.version === 'number' && value.version > 1)
    throw fault('backup-newer', `${where} has version ${value.version}, and this program reads version 1`);
  const { data, error } = written.safeParse(value);
  if (data === undefined) {
    const [problem = ''] = error.issues.map(issueText);
    throw fault('backup-damaged', `${where} is not a manifest of version 1: ${problem}`);
  }
  const { facts: stated, ...head } = data;
  if (typeof stated !== 'string') return { ...head, facts: stated };
  return decipher === undefined ? head : { ...head, facts: await decryptFacts(stated, decipher, where) };
};
