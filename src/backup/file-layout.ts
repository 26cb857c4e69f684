import { createHash, type Hash } from 'node:crypto';
import { sha256Of, type BackupFile, type Manifest } from './manifest.ts';
import type { NewEntry } from './tar.ts';

/** The first entry of a backup in a file. */
export const manifestEntry = 'backup.manifest';

/** The last one: the SHA-256 of each entry before it, in the format of `sha256sum`. */
export const sumsEntry = 'backup.sha256';

/** What the first bytes of a file are: a tar whose first entry is a manifest, or one that age has encrypted. */
export const kindOf = (first: Buffer): 'tar' | 'age' | undefined => {
  if (first.toString('latin1').startsWith(`age-encryption.org/v1\n-> tollkeeper-backup\n`)) return 'age';
  const [name, magic] = [`${manifestEntry}\0`, 'ustar\0'];
  const isTar =
    first.toString('latin1', 0, name.length) === name && first.toString('latin1', 257, 263) === magic;
  return isTar ? 'tar' : undefined;
};

/** Bytes that `kindOf` needs. */
export const kindSize = 512;

/** Passes the bytes on, and adds them to the hash. */
export async function* hashed(content: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const piece of content) {
    hash.update(piece);
    yield piece;
  }
}

/** The entries of a backup in a file: the text of its manifest, its files, and their sums. */
export async function* entriesFor(
  text: string,
  { at, files }: Pick<Manifest, 'at' | 'files'>,
  contentOf: (file: BackupFile) => AsyncIterable<Uint8Array>,
): AsyncGenerator<NewEntry> {
  const mtime = new Date(at);
  const textEntry = (name: string, value: string): NewEntry => {
    const bytes = Buffer.from(value);
    return { name, size: bytes.byteLength, mode: 0o600, mtime, content: [bytes] };
  };
  yield textEntry(manifestEntry, text);
  let sums = `${sha256Of(text)}  ${manifestEntry}\n`;
  for (const file of files) {
    const { path: name, size, mode } = file;
    const hash = createHash('sha256');
    yield { name, size, mode, mtime, content: hashed(contentOf(file), hash) };
    sums += `${hash.digest('hex')}  ${name}\n`;
  }
  yield textEntry(sumsEntry, sums);
}
