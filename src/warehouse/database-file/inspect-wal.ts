import type { FileHandle } from 'node:fs/promises';

/*
 * DuckDB's write-ahead log: an entry with the version of the format, then frames of length (8 bytes), checksum (8 bytes) and
 * content. DuckDB verifies the checksums. A file that ends within a frame is one whose last write was interrupted, so DuckDB
 * drops the frame, and with a damaged length all that follow.
 */

const versionEntry = Buffer.from([0x64, 0x00, 0x62, 0x65, 0x00]);
/** The version whose frames are known; others are left to DuckDB. */
const knownVersion = 2;
const leastHeader = 8;
const mostHeader = 64;
/** Fields after the version: the identifier of the database as a list, and the number of its checkpoint. */
const fields = { end: 0xffff, identifier: 0x66, checkpoint: 0x67 };
const frameHead = 16;

/** Larger than a write of DuckDB: such a length is damaged. */
const mostFrame = 256n * 1024n * 1024n;

const windowLength = 262_144;

type Bytes = { readonly size: number; readonly at: (offset: number, length: number) => Promise<Buffer> };

/** Random access that reads ahead. */
const bytesOf = async (handle: FileHandle): Promise<Bytes> => {
  const { size } = await handle.stat();
  let start = 0;
  let window = Buffer.alloc(0);
  return {
    size,
    at: async (offset, length) => {
      if (offset < start || offset + length > start + window.length) {
        const buffer = Buffer.alloc(Math.max(length, windowLength));
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, offset);
        [start, window] = [offset, buffer.subarray(0, bytesRead)];
      }
      return window.subarray(offset - start, offset - start + length);
    },
  };
};

const lengthAt = async (bytes: Bytes, offset: number): Promise<bigint> =>
  (await bytes.at(offset, frameHead)).readBigUInt64LE(0);

/** Where a number of variable length ends. */
const afterNumber = (header: Buffer, from: number): number => {
  let at = from;
  while (((header[at] ?? 0) & 0x80) !== 0) at += 1;
  return at + 1;
};

/** Where the first frame begins; undefined where the header has fields that are not known. */
const framesFrom = (header: Buffer): number | undefined => {
  let at = versionEntry.length + 1;
  while (at + 2 <= header.length) {
    const field = header.readUInt16LE(at);
    at += 2;
    if (field === fields.end) return at;
    if (field !== fields.identifier && field !== fields.checkpoint) return undefined;
    // The identifier is shorter than 128 bytes, so its length is one byte.
    const numbers = field === fields.identifier ? 1 + (header[at] ?? 0) : 1;
    for (let number = 0; number < numbers; number += 1) at = afterNumber(header, at);
  }
  return undefined;
};

/** Where the first frame begins that does not end within the file, and how many are before it. */
const walk = async (
  bytes: Bytes,
  from: number,
): Promise<{ readonly end: number; readonly frames: number }> => {
  let [end, frames] = [from, 0];
  while (end + frameHead <= bytes.size) {
    const length = await lengthAt(bytes, end);
    if (length > BigInt(bytes.size - end - frameHead)) break;
    end += frameHead + Number(length);
    frames += 1;
  }
  return { end, frames };
};

const isZero = async (bytes: Bytes, from: number): Promise<boolean> => {
  for (let offset = from; offset < bytes.size; offset += windowLength) {
    const piece = await bytes.at(offset, Math.min(windowLength, bytes.size - offset));
    if (piece.some((byte) => byte !== 0)) return false;
  }
  return true;
};

/** Whether one bit of the length is wrong: with it corrected, whole frames follow up to the end of the file. */
const hasFramesBehind = async (bytes: Bytes, at: number, length: bigint): Promise<boolean> => {
  const rest = BigInt(bytes.size - at - frameHead);
  for (let bit = 0n; bit < 64n; bit += 1n) {
    const other = length ^ (1n << bit);
    if (other >= rest) continue;
    const { end, frames } = await walk(bytes, at + frameHead + Number(other));
    if (end === bytes.size && frames > 0) return true;
  }
  return false;
};

/** What is wrong with a write-ahead log, if it is more than an interrupted last write. */
export const findWalDamage = async (handle: FileHandle): Promise<string | undefined> => {
  const bytes = await bytesOf(handle);
  // Without one whole entry, or only allocated before a power failure: nothing was committed.
  if (bytes.size < leastHeader || (await isZero(bytes, 0))) return undefined;
  const header = await bytes.at(0, Math.min(mostHeader, bytes.size));
  if (!header.subarray(0, versionEntry.length).equals(versionEntry)) return 'its first entry is no version';
  if (header[versionEntry.length] !== knownVersion) return undefined;
  const start = framesFrom(header);
  if (start === undefined) return undefined;
  const { end } = await walk(bytes, start);
  if (end + frameHead > bytes.size) return undefined;
  const length = await lengthAt(bytes, end);
  const isDamaged = length > mostFrame || (await hasFramesBehind(bytes, end, length));
  return isDamaged ? `the length of the entry at byte ${end} is wrong` : undefined;
};
