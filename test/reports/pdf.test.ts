import { describe, expect, it } from 'vitest';
import { dataFiles } from '../../src/reports/index.ts';
import { printable } from '../../src/reports/pdf/pdf-fonts.ts';
import { piecesOf } from '../../src/reports/pdf/pdf-pieces.ts';
import { hostileRows } from './hostile.ts';
import { build } from './sample.ts';

const noParquet = async (): Promise<Buffer> => Promise.reject(new Error('no Parquet file is asked for'));

const pdfOf = async (model: Awaited<ReturnType<typeof build>>): Promise<Buffer> => {
  const [file] = await dataFiles(model, 'spend', ['pdf'], noParquet);
  expect(file).toMatchObject({ name: 'spend.pdf', contentType: 'application/pdf' });
  return file?.content ?? Buffer.alloc(0);
};

describe('a report as PDF', () => {
  it('is the same to the byte when it is built again, also with hostile names', async () => {
    const model = await build({ rows: hostileRows() });
    const [first, again] = [await pdfOf(model), await pdfOf(model)];
    expect(first.subarray(0, 5).toString()).toBe('%PDF-');
    expect(first.equals(again)).toBe(true);
    // Page by page at the end of the file, so that a cut file is found.
    expect(first.subarray(-6).toString().trim()).toBe('%%EOF');
  });
});

describe('a line of a PDF', () => {
  const drawn = (text: string, isBold = false) =>
    piecesOf(text, isBold).map((piece) => [piece.font, piece.text]);

  it('is drawn in the first font that has its characters', () => {
    expect(drawn('Spend $12')).toEqual([['regular', 'Spend $12']]);
    expect(drawn('Spend', true)).toEqual([['bold', 'Spend']]);
    expect(drawn('key 生产')).toEqual([
      ['regular', 'key '],
      ['chinese', '生产'],
    ]);
  });

  it('has words from right to left in their order, and figures and Latin letters among them as they are', () => {
    expect(drawn('שלום עולם')).toEqual([
      ['hebrew', 'עולם'],
      ['regular', ' '],
      ['hebrew', 'שלום'],
    ]);
    expect(drawn('مفتاح 2026')).toEqual([
      ['regular', '2026'],
      ['regular', ' '],
      ['arabic', 'مفتاح'],
    ]);
    expect(drawn('prod-שלום-1')).toEqual([
      ['regular', 'prod-'],
      ['regular', '1'],
      ['regular', '-'],
      ['hebrew', 'שלום'],
    ]);
  });

  it('mirrors brackets in a text from right to left', () => {
    expect(
      drawn('(שלום)')
        .map(([, text]) => text)
        .join(''),
    ).toBe('(שלום)');
  });

  it('has a box for each character without a glyph, which is reported by its code point', () => {
    const missing = new Set<number>();
    expect(printable('a😀b\u200E한', missing)).toBe('a□b□');
    expect([...missing]).toEqual([0x1f600, 0xd55c]);
  });
});
