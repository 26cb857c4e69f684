import type { FiguresModel, ShownReport, SectionModel, TableModel } from '../build/model.ts';
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

/** Columns right-aligned under their headers; a name too long for its column gets its own line. */
const tableText = (table: TableModel): string[] => {
  const columns = table.columns
    .map((column, at) => ({ ...column, at }))
    .filter(({ role }) => role !== 'bar' && role !== 'trend');
  const widths = columns.map(({ at, label }) =>
    Math.max(widthOf(label), ...table.rows.map((row) => widthOf(row.cells[at]?.text ?? ''))),
  );
  const [longest = 0, ...others] = widths;
  const left = lineWidth - others.reduce((sum, width) => sum + width + 2, 0);
  const first = Math.max(8, Math.min(longest, left));
  const line = (texts: readonly string[]): string[] => {
    const [head = '', ...rest] = texts;
    const tail = rest.map((text, at) => {
      const width = others[at] ?? 0;
      return columns[at + 1]?.align === 'left' ? padEnd(text, width) : padStart(text, width);
    });
    if (widthOf(head) <= first) return [[padEnd(head, first), ...tail].join('  ').trimEnd()];
    return [...wrap(head, lineWidth), ['', ...tail].join('  ').padStart(0)].map((text, at, all) =>
      at === all.length - 1 ? `${' '.repeat(first)}${text}`.trimEnd() : text,
    );
  };
  const rule = '-'.repeat(Math.min(lineWidth, first + others.reduce((sum, width) => sum + width + 2, 0)));
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
