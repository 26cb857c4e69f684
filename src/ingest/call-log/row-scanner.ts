const LF = 10;
const CR = 13;
const QUOTE = 34;
const GUARD = 39;
const COMMA = 44;
const RECORD_SEPARATOR = 0x1e;
const UNIT_SEPARATOR = 0x1f;

/** What a byte-wise scan of a file of rows found, independent of the reader that loads it. */
export type Scan = {
  /** Records, without blank lines. */
  readonly rows: number;
  /** Bytes passed on. */
  readonly bytes: number;
  readonly endedWithNewline: boolean;
  /** The file ended inside a quoted cell. */
  readonly openQuote: boolean;
  readonly quotedNewlines: boolean;
  /** A `'` was seen somewhere. */
  readonly guarded: boolean;
  /** U+001E or U+001F was seen somewhere. */
  readonly hasSeparators: boolean;
  /**
   * The first record whose width differs from the header's, or with a quote inside an unquoted cell, counted from 1.
   */
  readonly firstOddRecord: number | undefined;
  /** Start and end of the last record, in bytes passed on. */
  readonly lastRecord: { readonly start: number; readonly end: number } | undefined;
};

export type RowScanner = {
  /** Scans the next bytes and returns those to keep: a CR before a LF that ends a row is removed. */
  readonly scan: (chunk: Buffer) => Buffer;
  /** Bytes of the record that has begun and not ended. */
  readonly unfinished: () => number;
  readonly finish: () => Scan;
};

/** The position of the last byte within a cell; plain numbers, since this runs for each byte of a quoted export. */
const CELL_START = 0;
const PLAIN = 1;
const QUOTED = 2;
const QUOTE_IN_QUOTED = 3;

/**
 * Counts the records of a CSV by RFC 4180. Rows without quotes take a fast path that checks only line ends, and the
 * commas of rows that end with one: DuckDB accepts those with an extra cell, and detects all others itself.
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
  let hasSeparators = false;
  let firstOddRecord: number | undefined;
  let lastRecord: Scan['lastRecord'];

  const endRecord = (end: number, commas: number | undefined): void => {
    if (end > recordStart) {
      rows += 1;
      lastRecord = { start: recordStart, end };
      if (commas !== undefined && commas !== width - 1) firstOddRecord ??= rows;
    }
  };

  /** An unquoted cell contains no quote; the engine would read it literally. */
  const orphanQuote = (): void => {
    firstOddRecord ??= rows + 1;
  };

  const commasIn = (chunk: Buffer, from: number, to: number): number => {
    let count = 0;
    for (let at = from; at < to; at += 1) if (chunk[at] === COMMA) count += 1;
    return count;
  };

  /** Scans byte by byte to the end of a record with quotes, or of the chunk; returns the position. */
  const quotedRecord = (chunk: Buffer, from: number): number => {
    let now = place;
    let commas = recordCommas;
    let at = from;
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (now === QUOTED) {
        if (byte === QUOTE) now = QUOTE_IN_QUOTED;
        else if (byte === LF) quotedNewlines = true;
      } else if (byte === COMMA) {
        commas += 1;
        now = CELL_START;
      } else if (byte === LF) break;
      else {
        if (byte === QUOTE && now === PLAIN) orphanQuote();
        now = byte === QUOTE && now !== PLAIN ? QUOTED : PLAIN;
      }
    }
    [place, recordCommas] = [now, commas];
    if (at === chunk.length) return at;
    endRecord(bytes + at, commas);
    return startRecord(at + 1);
  };

  const startRecord = (at: number): number => {
    recordStart = bytes + at;
    recordCommas = 0;
    place = CELL_START;
    return at;
  };

  /** For chunks without a CR, which are kept unchanged. */
  const fast = (chunk: Buffer): Buffer => {
    let quote = chunk.indexOf(QUOTE);
    for (let from = 0; from < chunk.length;) {
      const inQuotes = place === QUOTED || place === QUOTE_IN_QUOTED;
      const at = inQuotes ? -1 : chunk.indexOf(LF, from);
      if (inQuotes || (quote !== -1 && (at === -1 || quote < at))) {
        from = quotedRecord(chunk, from);
        quote = chunk.indexOf(QUOTE, from);
      } else if (at === -1) {
        recordCommas += commasIn(chunk, from, chunk.length);
        place = chunk[chunk.length - 1] === COMMA ? CELL_START : PLAIN;
        from = chunk.length;
      } else {
        const endsWithComma = (at === 0 ? lastByte : chunk[at - 1]) === COMMA;
        endRecord(bytes + at, endsWithComma ? recordCommas + commasIn(chunk, from, at) : undefined);
        from = startRecord(at + 1);
      }
    }
    lastByte = chunk[chunk.length - 1] ?? lastByte;
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
      } else {
        if (byte === QUOTE && place === PLAIN) orphanQuote();
        place = byte === QUOTE && place !== PLAIN ? QUOTED : PLAIN;
      }
    }
    lastByte = length > 0 ? (kept[length - 1] ?? lastByte) : lastByte;
    bytes += length;
    return kept.subarray(0, length);
  };

  return {
    scan: (chunk) => {
      guarded ||= chunk.includes(GUARD);
      hasSeparators ||= chunk.includes(UNIT_SEPARATOR) || chunk.includes(RECORD_SEPARATOR);
      return heldReturn || chunk.includes(CR) ? careful(chunk) : fast(chunk);
    },
    unfinished: () => bytes - recordStart,
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
        hasSeparators,
        firstOddRecord,
        lastRecord,
      };
    },
  };
};
