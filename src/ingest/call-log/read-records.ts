import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { CsvError } from 'csv-parse';

/** One record of a spooled export. */
export type ExportRecord = {
  /** The line in the file where it begins, counted from 1. */
  readonly line: number;
  /** The original bytes, without the line end. */
  readonly bytes: Buffer;
  /** A line end follows. */
  readonly ended: boolean;
};

/** A record as csv-parse reads it, or the problem that it reports. */
export type ReadRecord = ExportRecord & ({ readonly cells: readonly string[] } | { readonly broken: string });

const LF = 10;
const QUOTE = 34;
const COMMA = 44;

/** Detects the ends of records byte by byte, as the row scanner does. */
const createEnds = (): ((byte: number) => boolean) => {
  let place: 'start' | 'plain' | 'quoted' | 'quote' = 'start';
  return (byte) => {
    if (place === 'quoted') {
      if (byte === QUOTE) place = 'quote';
      return false;
    }
    if (byte === LF || byte === COMMA) {
      place = 'start';
      return byte === LF;
    }
    place = byte === QUOTE && place !== 'plain' ? 'quoted' : 'plain';
    return false;
  };
};

/** The records of a file in batches, without blank lines. */
async function* recordsOf(file: string): AsyncGenerator<readonly ExportRecord[]> {
  const ends = createEnds();
  let rest: Buffer[] = [];
  let [line, lines] = [1, 1];
  for await (const chunk of createReadStream(file, { highWaterMark: 262_144 }) as AsyncIterable<Buffer>) {
    const records: ExportRecord[] = [];
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (byte === LF) lines += 1;
      if (!ends(byte)) continue;
      const bytes = Buffer.concat([...rest, chunk.subarray(from, at)]);
      if (bytes.length > 0) records.push({ line, bytes, ended: true });
      rest = [];
      from = at + 1;
      line = lines;
    }
    rest.push(chunk.subarray(from));
    yield records;
  }
  const bytes = Buffer.concat(rest);
  if (bytes.length > 0) yield [{ line, bytes, ended: false }];
}

const end = Buffer.from('\n');

const parsed = (records: readonly ExportRecord[]): readonly (readonly string[])[] =>
  parse(Buffer.concat(records.flatMap(({ bytes }) => [bytes, end])), {
    relax_column_count: true,
    record_delimiter: '\n',
  });

const readAlone = (record: ExportRecord): ReadRecord => {
  try {
    const [cells, ...others] = parsed([record]);
    return cells === undefined || others.length > 0
      ? { ...record, broken: 'more than one row' }
      : { ...record, cells };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // csv-parse counts lines from the start of this record only.
    return { ...record, broken: error.message.replace(/ (at|on) line \d+/, '') };
  }
};

/** Parses many records at once, which is much faster; one by one when that fails. */
const readTogether = (records: readonly ExportRecord[]): readonly ReadRecord[] => {
  try {
    const rows = parsed(records);
    if (rows.length === records.length)
      return records.map((record, index) => ({ ...record, cells: rows[index] ?? [] }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
  }
  return records.map(readAlone);
};

/** All records of a spooled export as csv-parse reads them in strict mode, in bounded memory. */
export async function* readRecords(file: string): AsyncGenerator<ReadRecord> {
  for await (const records of recordsOf(file)) if (records.length > 0) yield* readTogether(records);
}
