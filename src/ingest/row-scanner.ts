const LF = 10;
const CR = 13;
const QUOTE = 34;
const GUARD = 39;
const COMMA = 44;

/** What a file of rows was seen to hold, byte by byte, apart from the reader that loads it. */
export type Scan = {
  /** Records; blank lines are none. */
  readonly rows: number;
  /** Bytes let through. */
  readonly bytes: number;
  readonly endedWithNewline: boolean;
  /** The end came inside a quoted cell. */
  readonly openQuote: boolean;
  readonly quotedNewlines: boolean;
  /** A `'` was seen somewhere. */
  readonly guarded: boolean;
  /** The first record of another width than the header's, counted from 1. */
  readonly firstOddRecord: number | undefined;
  /** Where the last record begins and ends, in bytes let through. */
  readonly lastRecord: { readonly start: number; readonly end: number } | undefined;
};

export type RowScanner = {
  /** Takes the next bytes; gives those to keep: a CR before a LF that ends a row is left out. */
  readonly scan: (chunk: Buffer) => Buffer;
  readonly finish: () => Scan;
};

/** Where in a cell the last byte stands; plain numbers, since this runs for each byte of a quoted export. */
const CELL_START = 0;
const PLAIN = 1;
const QUOTED = 2;
const QUOTE_IN_QUOTED = 3;

/**
 * Counts the records of a CSV as RFC 4180 has them. Chunks without quotes take a fast way, which looks at line ends
 * alone, and at the commas of rows that end with one: DuckDB lets those be a cell too long.
 */
export const createRowScanner = (width: number): RowScanner => {
  let place = CELL_START;
  let heldReturn = false;
  let bytes = 0;
  let rows = 0;
  let recordStart = 0;
  let recordCommas = 0;
  let lastByte = LF;
  let quotedNewlines = false;
  let guarded = false;
  let firstOddRecord: number | undefined;
  let lastRecord: Scan['lastRecord'];

  const endRecord = (end: number, commas: number | undefined): void => {
    if (end > recordStart) {
      rows += 1;
      lastRecord = { start: recordStart, end };
      if (commas !== undefined && commas !== width - 1) firstOddRecord ??= rows;
    }
  };

  const commasIn = (chunk: Buffer, from: number, to: number): number => {
    let count = 0;
    for (let at = from; at < to; at += 1) if (chunk[at] === COMMA) count += 1;
    return count;
  };

  const fast = (chunk: Buffer): Buffer => {
    let from = 0;
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, from)) {
      const endsWithComma = (at === 0 ? lastByte : chunk[at - 1]) === COMMA;
      endRecord(bytes + at, endsWithComma ? recordCommas + commasIn(chunk, from, at) : undefined);
      recordCommas = 0;
      from = at + 1;
      recordStart = bytes + from;
    }
    recordCommas += commasIn(chunk, from, chunk.length);
    lastByte = chunk[chunk.length - 1] ?? lastByte;
    place = lastByte === LF || lastByte === COMMA ? CELL_START : PLAIN;
    bytes += chunk.length;
    return chunk;
  };

  const careful = (chunk: Buffer): Buffer => {
    const kept = Buffer.allocUnsafe(chunk.length + 1);
    let length = 0;
    for (let index = 0; index < chunk.length; index += 1) {
      const byte = chunk[index] ?? 0;
      if (place === QUOTED) {
        if (byte === QUOTE) place = QUOTE_IN_QUOTED;
        else if (byte === LF) quotedNewlines = true;
        kept[length] = byte;
        length += 1;
        continue;
      }
      if (heldReturn) {
        heldReturn = false;
        if (byte !== LF) {
          kept[length] = CR;
          length += 1;
          place = PLAIN;
        }
      }
      if (byte === CR) {
        heldReturn = true;
        continue;
      }
      kept[length] = byte;
      length += 1;
      if (byte === COMMA) {
        recordCommas += 1;
        place = CELL_START;
      } else if (byte === LF) {
        endRecord(bytes + length - 1, recordCommas);
        recordCommas = 0;
        recordStart = bytes + length;
        place = CELL_START;
      } else place = byte === QUOTE && place !== PLAIN ? QUOTED : PLAIN;
    }
    lastByte = length > 0 ? (kept[length - 1] ?? lastByte) : lastByte;
    bytes += length;
    return kept.subarray(0, length);
  };

  return {
    scan: (chunk) => {
      guarded ||= chunk.includes(GUARD);
      const easy =
        !heldReturn &&
        place !== QUOTED &&
        place !== QUOTE_IN_QUOTED &&
        !chunk.includes(QUOTE) &&
        !chunk.includes(CR);
      return easy ? fast(chunk) : careful(chunk);
    },
    finish: () => {
      const endedWithNewline = bytes === recordStart;
      if (!endedWithNewline) endRecord(bytes, recordCommas);
      return {
        rows,
        bytes,
        endedWithNewline: endedWithNewline && !heldReturn,
        openQuote: place === QUOTED,
        quotedNewlines,
        guarded,
        firstOddRecord,
        lastRecord,
      };
    },
  };
};
