import { htmlChange } from './html-change.ts';
import { markup, trusted, type Html } from './markup.ts';
import type { CellModel, ColumnModel, RowModel, TableModel } from '../compose/model.ts';
import { colour } from './styles.ts';

/** Pixels of the longest bar; of bars on a track, which stand beside more figures. */
const longestBar = ({ hasTrack }: ColumnModel): number => (hasTrack === true ? 32 : 72);
const swatchWidth = 20;

const rightToLeft = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]|[\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

const name = (text: string): Html =>
  rightToLeft.test(text) ? markup`<span dir="auto">${text}</span>` : markup`${text}`;

const spacer = (width: number): Html | undefined =>
  width <= 0 ? undefined : markup`<td width="${width}" style="font-size:0;line-height:0">&nbsp;</td>`;

const bar = (column: ColumnModel, length: number, fill: string, from = 0): Html => {
  const longest = longestBar(column);
  // A floating bar is visible however small its part is.
  const width = Math.max(from > 0 ? 2 : 0, Math.round(length * longest));
  if (width === 0 && column.hasTrack !== true) return markup`&nbsp;`;
  const rest = column.hasTrack === true ? longest - width : 0;
  const part = (wide: number, ground: string, name: string): Html | undefined =>
    wide <= 0
      ? undefined
      : markup`<td width="${wide}" height="7"${trusted(name)} bgcolor="${ground}" style="font-size:0;line-height:0;height:7px;background:${ground}">&nbsp;</td>`;
  return markup`<table role="presentation" cellpadding="0" cellspacing="0"><tr>${spacer(Math.round(from * longest))}${part(width, fill, '')}${part(rest, colour.line, ' class="tr"')}</tr></table>`;
};

const defaultBar = '#7f93c9';

const cellContent = (cell: CellModel, column: ColumnModel, row: RowModel): Html => {
  if (column.role === 'bar')
    return cell.length === undefined
      ? markup`&nbsp;`
      : bar(
          column,
          cell.length,
          cell.tone === undefined ? (row.colour ?? defaultBar) : colour[cell.tone],
          cell.from,
        );
  if (cell.change !== undefined) return htmlChange(cell.change);
  return column.role === 'name' ? name(cell.text) : markup`${cell.text}`;
};

/** Columns that a phone has no space for. */
const isOptional = ({ role, isWideOnly }: ColumnModel): boolean =>
  role === 'bar' || role === 'trend' || isWideOnly === true;

/** The class that hides such a column on a phone. */
const hidingClass = (column: ColumnModel): string =>
  !isOptional(column) ? '' : column.isWideOnly === true ? ' wo' : ' br';

/** Longer figures wrap on a phone, and on any screen, instead of widening the page. */
const longestFigure = { phone: 12, screen: 28 };

/** Built-in text does not wrap; external names wrap anywhere. */
const mayBreak = ({ role, isFixed }: ColumnModel): boolean => role === 'name' && isFixed !== true;

/** Characters of figures, including the space before each column, that fit on a phone beside a name. */
const phoneLetters = 42;

/** Whether the figures of a table leave no space for names on a phone. */
const isTight = ({ columns, rows }: TableModel): boolean => {
  const widths = columns.map((column, at) =>
    mayBreak(column) || isOptional(column)
      ? 0
      : 1 + Math.max(column.label.length, ...rows.map(({ cells }) => cells[at]?.text.length ?? 0)),
  );
  return widths.reduce((sum, width) => sum + width, 0) > phoneLetters;
};

const breaks = (column: ColumnModel, cell: CellModel, tight: boolean): string => {
  if (mayBreak(column)) return ' nm';
  return tight && cell.text.length > longestFigure.phone ? ' lg' : '';
};

const cellStyle = (
  column: ColumnModel,
  cell: CellModel,
  first: boolean,
  row: RowModel,
  pad: number,
): Html => {
  const space = first ? `${pad}px 0` : `${pad}px 0 ${pad}px 10px`;
  const weight = row.role === 'total' ? ';font-weight:600' : '';
  const barWidth = column.role === 'bar' ? `;min-width:${longestBar(column)}px` : '';
  const wraps = column.role === 'bar' || mayBreak(column) || cell.text.length > longestFigure.screen;
  const wrap = wraps ? '' : ';white-space:nowrap';
  const soft =
    row.state === 'missing' || row.role === 'other' || column.role === 'trend' ? `;color:${colour.soft}` : '';
  const small = column.role === 'trend' ? ';font-size:10px;letter-spacing:1px' : '';
  return trusted(
    `padding:${space};border-top:${row.role === 'total' ? 2 : 1}px solid ${colour.line}${weight}${wrap}${barWidth}${soft}${small}`,
  );
};

const rowHtml = (
  row: RowModel,
  table: TableModel,
  { hasSwatches, pad, tight }: { hasSwatches: boolean; pad: number; tight: boolean },
): Html => {
  const soft = row.state === 'missing' || row.role === 'other' ? ' sf' : '';
  const cells = row.cells.map((cell, at) => {
    const column = table.columns[at];
    if (column === undefined) return markup``;
    const isSoft = soft === '' && column.role === 'trend' ? ' sf' : soft;
    const classes = `ln${breaks(column, cell, tight)}${hidingClass(column)}${isSoft}`;
    const style = cellStyle(column, cell, at === 0, row, pad);
    const align = column.align === 'right' ? trusted(' align="right"') : markup``;
    const content = cellContent(cell, column, row);
    if (at !== 0 || !hasSwatches)
      return markup`<td class="${classes}"${align} style="${style}">${content}</td>`;
    const mark =
      row.colour === undefined ? markup`&nbsp;` : markup`<span style="color:${row.colour}">■</span>`;
    return markup`<td class="ln" width="${swatchWidth}" valign="top" style="${style}">${mark}</td><td class="${classes}" style="${style}">${content}</td>`;
  });
  return markup`<tr>${cells}</tr>\n`;
};

/** Numbers are right-aligned; a swatch has its own cell, so that a long name never wraps below it. */
export const htmlTable = (table: TableModel): Html => {
  const hasSwatches = table.rows.some((row) => row.colour !== undefined);
  const isWide = table.columns.filter(({ role }) => role !== 'bar' && role !== 'trend').length > 5;
  const isWideOnPhones = table.columns.filter((column) => !isOptional(column)).length > 5;
  const pad = 4;
  const look = { hasSwatches, pad, tight: isTight(table) };
  const hasBars = table.columns.some(({ role, hasTrack }) => role === 'bar' && hasTrack !== true);
  const heads = table.columns.map((column, at) => {
    const width =
      at === 0 && hasBars ? '40%' : column.role === 'bar' ? String(longestBar(column)) : undefined;
    const wide = trusted(width === undefined ? '' : ` width="${width}"`);
    const classes = `sf${hidingClass(column)}`;
    const space = at === 0 ? '0 0 6px' : '0 0 6px 10px';
    return markup`<th scope="col" class="${classes}" align="${column.align}"${wide} valign="bottom" style="padding:${space};font-weight:400;font-size:12px;color:${colour.soft}">${column.label}</th>`;
  });
  return markup`<table role="table" class="ik t${isWideOnPhones ? ' w' : ''}" width="100%" cellpadding="0" cellspacing="0" style="border-collapse:collapse;font-size:${isWide ? 13 : 14}px;line-height:18px;color:${colour.ink};font-variant-numeric:tabular-nums"><tr>${hasSwatches ? markup`<td width="${swatchWidth}"></td>` : undefined}${heads}</tr>\n${table.rows.map((row) => rowHtml(row, table, look))}</table>`;
};
