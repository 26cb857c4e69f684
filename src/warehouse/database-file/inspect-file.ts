import { open, type FileHandle } from 'node:fs/promises';
import { fault, systemCode } from '../../core/index.ts';
import { findWalDamage } from './inspect-wal.ts';
import { usedBlocks } from './used-blocks.ts';

/** Of DuckDB's file format: a main header and two database headers, then blocks. */
const headerBytes = 4096;
const headers = [headerBytes, 2 * headerBytes] as const;
const firstBlock = 3 * headerBytes;
const magic = 'DUCK';
const blockSizes = { least: 16_384n, most: 262_144n };

type Reading = { readonly size: bigint; readonly blocks: bigint; readonly blockSize: bigint };

/** Undefined for what is no whole set of headers, which DuckDB reports. */
const read = async (handle: FileHandle): Promise<Reading | undefined> => {
  const buffer = Buffer.alloc(firstBlock);
  const { bytesRead } = await handle.read(buffer, 0, firstBlock, 0);
  if (bytesRead < firstBlock || buffer.toString('latin1', 8, 12) !== magic) return undefined;
  const [first, second] = headers.map((at) => ({
    iteration: buffer.readBigUInt64LE(at + 8),
    blocks: buffer.readBigUInt64LE(at + 32),
    blockSize: buffer.readBigUInt64LE(at + 40),
  }));
  const active = (second?.iteration ?? 0n) > (first?.iteration ?? 0n) ? second : first;
  if (active === undefined || active.blockSize < blockSizes.least || active.blockSize > blockSizes.most)
    return undefined;
  const { size } = await handle.stat({ bigint: true });
  return { size, blocks: active.blocks, blockSize: active.blockSize };
};

const absent: readonly string[] = ['ENOENT', 'ENOTDIR', 'EISDIR'];

const withFile = async <T>(
  path: string,
  work: (handle: FileHandle) => Promise<T>,
): Promise<T | undefined> => {
  const handle = await open(path, 'r').catch((error: unknown) => {
    // DuckDB reports what it cannot open.
    if (absent.includes(systemCode(error) ?? '') || systemCode(error) === 'EACCES') return undefined;
    throw error;
  });
  if (handle === undefined) return undefined;
  try {
    return (await handle.stat()).isFile() ? await work(handle) : undefined;
  } finally {
    await handle.close();
  }
};

const endOf = ({ blockSize }: Reading, blocks: bigint): bigint => BigInt(firstBlock) + blocks * blockSize;

/**
 * Finds damage that DuckDB opens without an error, and then writes over: a file that was cut, and a write-ahead log that DuckDB would take
 * for an interrupted write and discard. Not called while this process has the database open: closing any descriptor
 * of the file ends its lock. @throws Fault warehouse-unreadable; both files stay as they are.
 */
export const inspectFile = async (path: string): Promise<void> => {
  const wal = `${path}.wal`;
  const damage = await withFile(wal, findWalDamage);
  if (damage !== undefined)
    throw fault('warehouse-unreadable', `${wal}, which belongs to ${path}, is damaged: ${damage}`);
  const reading = await withFile(path, read);
  // DuckDB cuts free blocks from the end, and the header still counts them.
  if (reading === undefined || reading.size >= endOf(reading, reading.blocks)) return;
  const used = await usedBlocks(path);
  if (used === undefined) return;
  const missing = endOf(reading, used) - reading.size;
  if (missing > 0n)
    throw fault('warehouse-unreadable', `${path} was cut: ${missing} bytes are missing at its end`);
};
