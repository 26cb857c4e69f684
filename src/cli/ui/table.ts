import type { Screen, Style } from './paint.ts';
import { oneLine, widthOf, wrap } from './text.ts';

export type Cell = string | { readonly text: string; readonly style: Style };

export type Column = {
  readonly title: string;
  /** Columns with this number are omitted on a narrow terminal, the highest first. */
  readonly spare?: number;
};

export type Row = {
  readonly cells: readonly Cell[];
  /** A longer text: after the row if it fits, else below it. */
  readonly note?: Cell | undefined;
  readonly below?: readonly Cell[] | undefined;
};

const textOf = (cell: Cell): string => oneLine(typeof cell === 'string' ? cell : cell.text);
const styleOf = (cell: Cell): Style => (typeof cell === 'string' ? 'plain' : cell.style);

const gap = 2;
const indent = '    ';

const total = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, 0) + gap * Math.max(0, widths.length - 1);

const shownColumns = (
  columns: readonly Column[],
  widths: readonly number[],
  room: number,
): readonly number[] => {
  let shown = columns.map((_, index) => index);
  while (total(shown.map((index) => widths[index] ?? 0)) > room) {
    const rank = Math.max(...shown.map((index) => columns[index]?.spare ?? 0));
    if (rank === 0) break;
    shown = shown.filter((index) => columns[index]?.spare !== rank);
  }
  return shown;
};

const indented = (cell: Cell, { paint, width }: Screen): readonly string[] => {
  const text = textOf(cell);
  const lines = width === undefined ? [text] : wrap(text, width - indent.length);
  return lines.map((line) => `${indent}${paint(styleOf(cell), line)}`);
};

/** Aligned columns, one line per row; cell texts cannot break a line or contain an escape sequence. */
export const tableLines = (
  columns: readonly Column[],
  rows: readonly Row[],
  screen: Screen,
): readonly string[] => {
  const { paint, width = Number.POSITIVE_INFINITY } = screen;
  const widths = columns.map(({ title }, index) =>
    Math.max(title.length, ...rows.map(({ cells }) => widthOf(textOf(cells[index] ?? '')))),
  );
  const shown = shownColumns(columns, widths, width);
  const room = width - total(shown.map((index) => widths[index] ?? 0)) - gap;

  const line = (cells: readonly Cell[], note?: Cell): string => {
    const last =
      note === undefined ? shown.findLast((index) => textOf(cells[index] ?? '') !== '') : undefined;
    const parts = shown
      .filter((index) => last === undefined || index <= last)
      .map((index) => {
        const cell = cells[index] ?? '';
        const text = textOf(cell);
        const padding = index === last ? '' : ' '.repeat((widths[index] ?? 0) - widthOf(text));
        return `${paint(styleOf(cell), text)}${padding}`;
      });
    if (note !== undefined) parts.push(paint(styleOf(note), textOf(note)));
    return parts.join(' '.repeat(gap));
  };

  return [
    line(columns.map(({ title }) => ({ text: title, style: 'title' }))),
    ...rows.flatMap(({ cells, note, below = [] }) => {
      const fits = note !== undefined && widthOf(textOf(note)) <= room;
      return [
        fits ? line(cells, note) : line(cells),
        ...(note === undefined || fits ? [] : indented(note, screen)),
        ...below.flatMap((cell) => indented(cell, screen)),
      ];
    }),
  ];
};
