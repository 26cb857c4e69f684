import { fault, withFingerprints } from '../../core/index.ts';

/** Bytes that a key consists of: a run of them that a chunk ends in may be half a key. */
const inRun = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[\w-]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

/** Bytes of a cell; DuckDB reads no longer rows. */
const maxRun = 2_000_000;

const begins = Buffer.from('sk-');

const filtered = (bytes: Buffer): Buffer =>
  bytes.includes(begins) ? Buffer.from(withFingerprints(bytes.toString('latin1')), 'latin1') : bytes;

export type KeyFilter = {
  /** The bytes up to the last that cannot be part of a key, with fingerprints in place of keys. */
  readonly next: (chunk: Uint8Array) => Buffer;
  readonly end: () => Buffer;
};

/** Finds keys in a body wherever its chunks are cut. */
export const createKeyFilter = (): KeyFilter => {
  let held: Buffer[] = [];
  let heldBytes = 0;
  const hold = (bytes: Buffer): void => {
    if (bytes.length === 0) return;
    held.push(bytes);
    heldBytes += bytes.length;
    if (heldBytes > maxRun)
      throw fault('export-row-invalid', `the export has a row of more than ${maxRun} bytes`);
  };
  const takeHeld = (more: readonly Buffer[]): Buffer => {
    const all = [...held, ...more];
    held = [];
    heldBytes = 0;
    return all.length === 1 ? (all[0] ?? Buffer.alloc(0)) : Buffer.concat(all);
  };
  return {
    next: (bytes) => {
      const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      let end = chunk.length;
      while (end > 0 && inRun[chunk[end - 1] ?? 0] === 1) end -= 1;
      const passed = end === 0 ? Buffer.alloc(0) : filtered(takeHeld([chunk.subarray(0, end)]));
      hold(chunk.subarray(end));
      return passed;
    },
    end: () => filtered(takeHeld([])),
  };
};
