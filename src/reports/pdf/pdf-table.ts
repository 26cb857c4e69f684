import { sum } from '../../core/index.ts';
import type { CellModel, ColumnModel, RowModel, TableModel } from '../compose/model.ts';
import { changeText } from '../render/html-change.ts';
import { colour } from '../render/styles.ts';
import { contentWidth, pageSize, type Cursor, type PdfFile } from './pdf-page.ts';
import { lineHeightOf, type PdfText, type TextStyle } from './pdf-text.ts';

const gap = 10;
const leastName = 90;
const barWidth = 46;
const trendWidth = 60;
const defaultBar = '#7f93c9';
/** Sizes of the text, the largest that fits first. */
const sizes = [9, 8, 7, 6] as const;

type Sized = ColumnModel & {
  readonly at: number;
  /** Without wrapping. */
  readonly wanted: number;
  readonly width: number;
  readonly left: number;
};

type Layout = { readonly size: number; readonly columns: readonly Sized[] };

const textOf = (cell: CellModel | undefined): string =>
  cell?.change === undefined ? (cell?.text ?? '') : changeText(cell.change);

const isGraphic = ({ role }: ColumnModel): boolean => role === 'bar' || role === 'trend';

/** External names and texts share what the figures leave; a row of figures does not wrap. */
const isFlexible = (column: ColumnModel): boolean => column.role === 'name' && column.align === 'left';

const styleOf = ({ role }: Pick<RowModel, 'role'>, size: number): TextStyle => ({
  size,
  colour: role === 'other' ? colour.soft : colour.ink,
  isBold: role === 'total',
});

/** The width that a column takes without wrapping. */
const naturalWidth = (
  { rows }: TableModel,
  column: ColumnModel,
  at: number,
  text: PdfText,
  size: number,
): number => {
  if (column.role === 'bar') return barWidth;
  if (column.role === 'trend') return trendWidth;
  const cells = rows.map((row) => text.widthOf(textOf(row.cells[at]), styleOf(row, size)));
  const head = styleOf({ role: 'row' }, size);
  return Math.max(...column.label.split(' ').map((word) => text.widthOf(word, head)), ...cells) + 0.5;
};

const layoutAt = (table: TableModel, text: PdfText, size: number): Layout => {
  const natural = table.columns.map((column, at) => ({
    column,
    at,
    wanted: naturalWidth(table, column, at, text, size),
  }));
  const widths = (flexible: boolean): number =>
    sum(natural.filter(({ column }) => isFlexible(column) === flexible).map(({ wanted }) => wanted));
  const left = contentWidth - gap * (table.columns.length - 1) - widths(false);
  const names = widths(true);
  let x = pageSize.margin as number;
  const columns = natural.map(({ column, at, wanted }): Sized => {
    const width = isFlexible(column) ? (wanted / Math.max(1, names)) * left : wanted;
    const sized = { ...column, at, wanted, width, left: x };
    x += width + gap;
    return sized;
  });
  return { size, columns };
};

const layoutOf = (table: TableModel, text: PdfText): Layout => {
  const layouts = sizes.map((size) => layoutAt(table, text, size));
  const isWide = ({ columns }: Layout): boolean =>
    columns.every((column) => !isFlexible(column) || column.width >= Math.min(leastName, column.wanted));
  return layouts.find(isWide) ?? layoutAt(table, text, 6);
};

/** Eighths of the height, as the blocks of a line of text have them. */
const heightsOf = (blocks: string): readonly number[] =>
  Array.from(blocks, (block) => {
    const point = block.codePointAt(0) ?? 0;
    return point >= 0x2581 && point <= 0x2588 ? (point - 0x2580) / 8 : 0;
  });

const drawGraphic = (
  document: PdfFile,
  column: Sized,
  cell: CellModel,
  row: RowModel,
  { y, height }: { readonly y: number; readonly height: number },
): void => {
  if (column.role === 'trend') {
    const heights = heightsOf(cell.text);
    const wide = column.width / Math.max(1, heights.length);
    for (const [at, share] of heights.entries())
      document
        .rect(column.left + at * wide, y + height * (1 - share), wide * 0.75, height * share)
        .fill(defaultBar);
    return;
  }
  const { length, from = 0, tone } = cell;
  if (length === undefined) return;
  const bar = { x: column.left + from * column.width, y: y + height * 0.2, height: height * 0.6 };
  if (column.hasTrack === true) document.rect(column.left, bar.y, column.width, bar.height).fill(colour.line);
  const width = Math.max(from > 0 ? 1.5 : 0, length * column.width);
  if (width > 0)
    document
      .rect(bar.x, bar.y, width, bar.height)
      .fill(tone === undefined ? (row.colour ?? defaultBar) : colour[tone]);
};

const toneOf = (cell: CellModel | undefined): string => {
  const tone = cell?.change?.tone;
  return tone === 'good' || tone === 'bad' ? colour[tone] : colour.ink;
};

/** Draws a table; its head is repeated on each page. */
export const drawTable = (document: PdfFile, text: PdfText, cursor: Cursor, table: TableModel): void => {
  const { size, columns } = layoutOf(table, text);
  const lineHeight = lineHeightOf(size);
  const cellLines = (column: Sized, content: string, style: TextStyle): readonly string[] =>
    text.wrap(content, column.width, style);
  const drawCell = (column: Sized, lines: readonly string[], y: number, style: TextStyle): void => {
    for (const [at, line] of lines.entries())
      text.draw(
        line,
        column.align === 'right' ? column.left + column.width : column.left,
        y + at * lineHeight,
        {
          ...style,
          align: column.align,
        },
      );
  };
  const headStyle: TextStyle = { size, colour: colour.soft };
  const heads = columns.map((column) => cellLines(column, column.label, headStyle));
  const headHeight = Math.max(1, ...heads.map(({ length }) => length)) * lineHeight + 6;
  const rule = (y: number, width = 0.5): void => {
    document
      .moveTo(pageSize.margin, y)
      .lineTo(pageSize.margin + contentWidth, y)
      .lineWidth(width)
      .stroke(width > 0.5 ? colour.soft : colour.line);
  };
  const drawHead = (): void => {
    for (const [at, column] of columns.entries()) drawCell(column, heads[at] ?? [], cursor.y(), headStyle);
    cursor.move(headHeight);
    rule(cursor.y() - 3);
  };
  cursor.need(headHeight + lineHeight * 2);
  drawHead();
  for (const row of table.rows) {
    const isTotal = row.role === 'total';
    const style = styleOf(row, size);
    const cells = columns.map((column) => {
      const cell = row.cells[column.at];
      if (isGraphic(column)) return [''];
      return isFlexible(column) ? cellLines(column, textOf(cell), style) : [textOf(cell)];
    });
    const height = Math.max(1, ...cells.map(({ length }) => length)) * lineHeight + 4;
    if (cursor.need(height)) drawHead();
    if (isTotal) rule(cursor.y() - 2, 0.8);
    for (const [at, column] of columns.entries()) {
      const cell = row.cells[column.at];
      if (cell !== undefined && isGraphic(column))
        drawGraphic(document, column, cell, row, { y: cursor.y(), height: lineHeight });
      else
        drawCell(column, cells[at] ?? [], cursor.y(), {
          ...style,
          colour: toneOf(cell) === colour.ink ? style.colour : toneOf(cell),
        });
    }
    cursor.move(height);
    if (!isTotal) rule(cursor.y() - 2);
  }
};
