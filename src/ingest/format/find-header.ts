import { parse } from 'csv-parse/sync';

/** The position and content of an export's header. */
export type FoundHeader = {
  readonly cells: readonly string[];
  /** Lines before the first row: title lines and the header itself. */
  readonly lines: number;
  /** Bytes before the first row. */
  readonly bytes: number;
  /** The header line has a line end. */
  readonly complete: boolean;
};

/** Whether a record is the header, by its cells and the number of lines before it. */
export type IsHeader = (cells: readonly string[], before: number) => boolean;

/** Maximum number of lines, and bytes, that are searched for a header. */
const deepest = 20;
export const headerLimit = 262_144;

const bom = '\uFEFF';

/** One line as cells; a line that is not CSV is one cell. */
export const cellsOf = (line: string): readonly string[] => {
  try {
    const [cells]: string[][] = parse(line, { relax_column_count: true, record_delimiter: '\n' });
    return cells ?? [];
  } catch {
    return [line];
  }
};

/**
 * Finds the header at the start of an export, after a byte-order mark and title lines. `ended` means that no more bytes
 * follow: only then an unterminated last line is examined. Undefined while there is none.
 */
export const findHeader = (start: Buffer, ended: boolean, isHeader: IsHeader): FoundHeader | undefined => {
  let from = 0;
  for (let lines = 1; lines <= deepest && from < start.length; lines += 1) {
    const newline = start.indexOf(10, from);
    if (newline === -1 && !ended) return undefined;
    const end = newline === -1 ? start.length : newline;
    const line = start.toString('utf8', from, end).replace(/\r$/, '').replace(bom, '');
    const cells = cellsOf(line);
    if (isHeader(cells, lines - 1))
      return { cells, lines, bytes: newline === -1 ? end : end + 1, complete: newline !== -1 };
    from = end + 1;
  }
  return undefined;
};

/** The beginning of a body that is no export, for an error message. */
export const beginningOf = (start: Buffer): string =>
  start.toString('utf8', 0, 240).replace(bom, '').replaceAll(/\s+/g, ' ').trim();

/** JSON or HTML. */
export const isForeign = (start: Buffer): boolean => /^[{[<]/.test(beginningOf(start));
