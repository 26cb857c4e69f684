import type { FiguresModel, ShownReport, SectionModel, TableModel } from '../compose/model.ts';
import { localeOf } from '../../messages/index.ts';
import { padEnd, padStart, widthOf, wrap } from './text-width.ts';

const lineWidth = 76;

const figuresText = ({ figures }: FiguresModel): string[] => {
  const name = Math.max(...figures.map(({ label }) => widthOf(label)));
  const value = Math.max(...figures.map((figure) => widthOf(figure.value.text)));
  return figures.flatMap(({ label, value: shown, change, note }) => {
    const moved = change === undefined || change.direction === 'unknown' ? '' : `  ${change.text}`;
    const figure = `${padEnd(label, name)}  ${padStart(shown.text, value)}${moved}`.trimEnd();
    if (note === undefined) return [figure];
    const line = `${figure}${moved === '' ? '  ' : ' '}${note.text}`;
    return widthOf(line) <= lineWidth
      ? [line]
      : [figure, ...wrap(note.text, lineWidth - 4).map((part) => `    ${part}`)];
  });
};

type TextColumn = Pick<TableModel['columns'][number], 'label' | 'align'> & {
  /** Its cell in each row. */
  readonly at: number;
  readonly width: number;
};

const total = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width + 2, 0);

const pad = (text: string, { align, width }: TextColumn): string =>
  align === 'left' ? padEnd(text, width) : padStart(text, width);

const leastName = 8;
/** A longer name may take its own line. */
const usualName = 20;
const indent = 4;

const fitsIndented = (columns: readonly TextColumn[]): boolean =>
  indent + total(columns.map(({ width }) => width)) - 2 <= lineWidth;

/** The columns of each line of a row: as few lines as fit, of about as many columns each. */
const groupsOf = (columns: readonly TextColumn[]): readonly (readonly TextColumn[])[] => {
  for (let lines = 1; lines < columns.length; lines += 1) {
    const size = Math.ceil(columns.length / lines);
    const groups = Array.from({ length: lines }, (_, at) => columns.slice(at * size, (at + 1) * size));
    if (groups.every(fitsIndented)) return groups.filter((group) => group.length > 0);
  }
  return columns.map((column) => [column]);
};

/**
 * Columns under their headers, figures right-aligned; a name too long for its column gets its own line. Headers take two lines
 * where the table is too wide otherwise, and where that is not enough, rows continue in further lines.
 */
const tableText = (table: TableModel): string[] => {
  const columns = table.columns
    .map((column, at) => ({ ...column, at }))
    .filter(({ role }) => role !== 'bar' && role !== 'trend');
  const sized = (widthOfLabel: (label: string) => number): readonly TextColumn[] =>
    columns.map(({ label, align, at }) => ({
      label,
      align,
      at,
      width: Math.max(widthOfLabel(label), ...table.rows.map((row) => widthOf(row.cells[at]?.text ?? ''))),
    }));
  const widest = (label: string): number => Math.max(...label.split(' ').map(widthOf));
  const restOf = (list: readonly TextColumn[]): number => total(list.slice(1).map(({ width }) => width));
  const fits = (list: readonly TextColumn[], name: number): boolean => name + restOf(list) <= lineWidth;
  const [wide, narrow] = [sized(widthOf), sized(widest)];
  const nameWidth = Math.max(leastName, Math.min(wide[0]?.width ?? 0, usualName));
  const used = fits(wide, nameWidth) || !fits(narrow, leastName) ? wide : narrow;
  const [name, ...others] = used;
  const isOneLine = fits(used, leastName);
  const first = isOneLine
    ? Math.max(leastName, Math.min(name?.width ?? 0, lineWidth - restOf(used)))
    : indent;
  const groups = isOneLine ? [others] : groupsOf(others);
  /** The cells of one row; one that is wider than its column continues below. */
  const line = (texts: readonly string[]): string[] => {
    const [head = '', ...rest] = texts;
    const lines = groups.flatMap((group) => {
      const parts = group.map((column) => {
        const width = Math.min(column.width, lineWidth - indent);
        return wrap(rest[others.indexOf(column)] ?? '', width).map((part) => pad(part, { ...column, width }));
      });
      const height = Math.max(1, ...parts.map((part) => part.length));
      return Array.from({ length: height }, (_, at) =>
        parts.map((part, index) => part[at] ?? ' '.repeat(group[index]?.width ?? 0)).join('  '),
      );
    });
    const [beside = '', ...below] = lines;
    const under = (text: string): string => `${' '.repeat(first)}  ${text}`.trimEnd();
    return isOneLine && widthOf(head) <= first
      ? [`${padEnd(head, first)}  ${beside}`.trimEnd(), ...below.map(under)]
      : [
          ...wrap(head, lineWidth),
          ...lines.map(isOneLine ? under : (text) => `${' '.repeat(indent)}${text}`.trimEnd()),
        ];
  };
  const rule = '-'.repeat(isOneLine ? Math.min(lineWidth, first + restOf(used)) : lineWidth);
  return [
    ...line(columns.map(({ label }) => label)),
    rule,
    ...table.rows.flatMap((row) => [
      ...(row.role === 'total' ? [rule] : []),
      ...line(columns.map(({ at }) => row.cells[at]?.text ?? '')),
    ]),
  ];
};

const bodyOf = (section: SectionModel): string[] => {
  switch (section.kind) {
    case 'figures':
      return figuresText(section);
    case 'table':
      return tableText(section);
    case 'chart':
      return wrap(section.alt, lineWidth);
    case 'text':
      return section.paragraphs.flatMap((text) => wrap(text, lineWidth));
    case 'notes':
      return section.notes.flatMap(({ tone, text }) =>
        wrap(text, lineWidth - 2).map(
          (line, at) => `${at > 0 ? ' ' : tone === 'warning' ? '!' : '*'} ${line}`,
        ),
      );
    default:
      return section satisfies never;
  }
};

/** The mail as plain text of at most 76 columns, from the same model as the HTML. */
export const renderText = (model: ShownReport): string => {
  const { headline } = model;
  const locale = localeOf(model.locale);
  const change = headline.change.direction === 'unknown' ? '' : `${headline.change.text} `;
  const lines = [
    ...wrap(`${model.title} · ${model.account} · ${model.period}`, lineWidth),
    '',
    locale.labelled(headline.label, headline.value.text),
    ...wrap(`${change}${headline.compared}`, lineWidth),
    ...(headline.cause === undefined ? [] : wrap(headline.cause, lineWidth)),
    ...model.sections.flatMap((section) => [
      '',
      ...(section.title === undefined ? [] : [locale.heading(section.title)]),
      ...bodyOf(section),
    ]),
    '',
    ...model.footer.flatMap((line) => wrap(line, lineWidth)),
  ];
  return `${lines.join('\n')}\n`;
};
