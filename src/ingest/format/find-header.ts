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
export const cellsOf = (line: string, delimiter = ','): readonly string[] => {
  try {
    const [cells]: string[][] = parse(line, {
      delimiter,
      relax_column_count: true,
      record_delimiter: '\n',
    });
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

/** Bytes of a header cell: the longest names of columns have some dozen. */
const longestCell = 16_384;

/** Why cells cannot be a header: without line ends, or with an open quote, it would hold the rows. */
export const headerProblem = ({ cells }: Pick<FoundHeader, 'cells'>): string | undefined => {
  if (cells.some((cell) => /[\r\n]/.test(cell)))
    return 'a cell of its header contains a line break: the export ends its lines with CR alone, or a quote is not closed';
  return cells.some((cell) => Buffer.byteLength(cell) > longestCell)
    ? `a cell of its header has more than ${longestCell} bytes: a line end is missing, or a quote is not closed`
    : undefined;
};

/** What text that is no CSV is, if it looks like something that programs call CSV, too. */
export const otherFormat = (start: Buffer): string | undefined => {
  const first = start.subarray(0, 64);
  if (
    first.includes(0) ||
    (first[0] === 0xff && first[1] === 0xfe) ||
    (first[0] === 0xfe && first[1] === 0xff)
  )
    return 'it is encoded in UTF-16; exports are read in UTF-8';
  if (!start.includes(10) && start.includes(13))
    return 'its lines end with CR alone; they must end with LF or CR LF';
  const [line = ''] = start.toString('utf8', 0, 4096).split(/[\r\n]/);
  const separator = [';', '\t', '|'].find((one) => cellsOf(line, one).length > 2);
  if (separator === undefined) return undefined;
  return `its cells are separated by ${separator === '\t' ? 'tabs' : `“${separator}”`}; exports are read with commas`;
};

/** JSON or HTML. */
export const isForeign = (start: Buffer): boolean => /^[{[<]/.test(beginningOf(start));
