import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRowScanner } from '../../../src/ingest/call-log/row-scanner.ts';

const scan = (text: string | Buffer, width: number, size = 7) => {
  const scanner = createRowScanner(width);
  const bytes = Buffer.from(text);
  const kept: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size)
    kept.push(Buffer.from(scanner.scan(bytes.subarray(at, at + size))));
  return { ...scanner.finish(), kept: Buffer.concat(kept).toString('utf8') };
};

const cell = fc.oneof(
  fc.constantFrom(
    '',
    '1',
    '0.5',
    'gpt-4o',
    "'=1+1",
    'a,b',
    'say "hi"',
    'two\nlines',
    'two\r\nlines',
    '总计',
    '\r',
  ),
  fc.string({ maxLength: 8 }),
);

const written = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

describe('the row scanner', () => {
  it('counts rows as csv-parse does for any chunking of the bytes, and keeps every cell', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, cell, cell), { maxLength: 12 }),
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        fc.integer({ min: 1, max: 40 }),
        (rows, newline, ended, size) => {
          const text = rows.map((row) => row.map(written).join(',')).join(newline) + (ended ? newline : '');
          const found = scan(text, 3, size);
          expect(found.rows).toBe(rows.length);
          expect(found.firstOddRecord).toBeUndefined();
          expect(found.openQuote).toBe(false);
          if (rows.length > 0) expect(found.endedWithNewline).toBe(ended);
          const kept: string[][] = parse(found.kept, { record_delimiter: '\n', skip_empty_lines: true });
          expect(kept).toEqual(rows);
          expect(found.guarded).toBe(text.includes("'"));
          expect(found.quotedNewlines).toBe(rows.flat().some((text) => text.includes('\n')));
        },
      ),
    );
  });

  it.each([
    ['a row too long by a blank cell', '1,2,3\n1,2,3,\n', 2],
    ['a row too long, with quotes', '1,2,3\n"1",2,3,4\n', 2],
    ['a row too short, with quotes', '"1",2\n', 1],
    ['a last row too short without its end', '1,2,3\n1,2', 2],
  ])('finds %s', (_, text, record) => {
    expect(scan(text, 3, 100).firstOddRecord).toBe(record);
  });

  it('reports the first record with a quote inside an unquoted cell', () => {
    for (const newline of ['\n', '\r\n'])
      for (const size of [1, 2, 3, 5, 100]) {
        const body = ['"a ""b""",2', 'g"h,2', '"c",d"', ''].join(newline);
        expect([size, scan(body, 2, size).firstOddRecord]).toEqual([size, 2]);
        expect(scan(['"a ""b""",2', '"",3', ''].join(newline), 2, size).firstOddRecord).toBeUndefined();
      }
  });

  it('treats a quote inside an unquoted cell as a character, and reports an unclosed one', () => {
    expect(scan('a"b,2,3\nc,d,e\n', 3)).toMatchObject({ rows: 2, openQuote: false });
    expect(scan('"ab,2,3\nc,d,e\n', 3)).toMatchObject({ rows: 1, openQuote: true });
  });

  it('finds the position of the last record, also after blank lines', () => {
    const found = scan('1,2,3\r\n4,5,6\r\n\r\n', 3);
    expect(found.kept.slice(found.lastRecord?.start, found.lastRecord?.end)).toBe('4,5,6');
  });
});
