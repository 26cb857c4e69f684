import type { AnnouncedSection, Announcement } from '../../announcement.ts';
import { chatLine } from './chat-text.ts';

export type SummaryTable = {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly { readonly strong: boolean; readonly cells: readonly string[] }[];
};

/** The part of an announcement that a chat shows: short plain text on single lines. */
export type ChatSummary = {
  readonly title: string;
  /** The total and its change. */
  readonly lead: readonly string[];
  readonly facts: readonly { readonly label: string; readonly text: string }[];
  readonly notes: readonly string[];
  readonly tables: readonly SummaryTable[];
  readonly footer: readonly string[];
};

const most = { facts: 8, notes: 8, tables: 3, rows: 6, columns: 3, cell: 36, line: 300 };

/** The largest rows, and the closing rows that make the table add up. */
const tableOf = (section: Extract<AnnouncedSection, { kind: 'table' }>): SummaryTable => {
  const rows = section.rows.filter(({ role }) => role === 'row');
  const left = rows.length - most.rows;
  const closing = section.rows.filter(({ role }) => role !== 'row');
  const cells = (texts: readonly string[]): readonly string[] =>
    texts.slice(0, most.columns).map((text) => chatLine(text, most.cell));
  return {
    title: chatLine(section.title, most.line),
    columns: cells(section.columns),
    rows: [
      ...rows
        .slice(0, most.rows)
        .map((row) => ({ strong: false, cells: cells(row.cells.map(({ text }) => text)) })),
      ...(left > 0 ? [{ strong: false, cells: [`… (+${left})`] }] : []),
      ...closing.map((row) => ({
        strong: row.role === 'total',
        cells: cells(row.cells.map(({ text }) => text)),
      })),
    ],
  };
};

const notesOf = (section: AnnouncedSection): readonly string[] => {
  if (section.kind === 'notes') return section.notes.map(({ text }) => text);
  return section.kind === 'text' ? section.paragraphs : [];
};

const line = (text: string): string => chatLine(text, most.line);

/** The first text within the limit: with all tables, or fewer; without tables it always fits. */
export const withinLimit = (
  summary: ChatSummary,
  limit: number,
  sizeOf: (text: string) => number,
  render: (summary: ChatSummary) => string,
): string => {
  const { tables } = summary;
  for (let count = tables.length; count > 0; count -= 1) {
    const text = render({ ...summary, tables: tables.slice(0, count) });
    if (sizeOf(text) <= limit) return text;
  }
  return render({ ...summary, tables: [] });
};

/** The first lines (how far the data reaches) and the last (the run). The verdict is shown above. */
const footerOf = ({ footer, verdict }: Announcement): readonly string[] => {
  const lines = footer.filter((text) => verdict === undefined || !text.includes(verdict.text));
  return lines.length <= 3 ? lines : [...lines.slice(0, 2), ...lines.slice(-1)];
};

/** A few lines and the tops of tables, because a chat truncates longer messages. */
export const summarise = (announcement: Announcement): ChatSummary => {
  const { total, change, verdict } = announcement;
  return {
    title: chatLine(
      announcement.kind === 'notice'
        ? announcement.subject
        : [announcement.title, announcement.period, announcement.account]
            .filter((part) => part !== undefined && part !== '')
            .join(', '),
      150,
    ),
    lead: [
      ...(total === undefined ? [] : [`${total.label}: ${total.text}`]),
      ...(change === undefined
        ? []
        : [[change.direction === 'unknown' ? '' : change.text, change.compared].filter(Boolean).join(' ')]),
      ...(announcement.cause === undefined ? [] : [announcement.cause]),
      ...(verdict === undefined ? [] : [verdict.text]),
    ].map(line),
    facts: announcement.sections
      .flatMap((section) => (section.kind === 'figures' ? section.figures : []))
      .slice(0, most.facts)
      .map(({ label, value, change: changed, note }) => ({
        label: chatLine(label, 80),
        text: chatLine(
          [value.text, changed === undefined ? '' : `(${changed.text})`, note].filter(Boolean).join(' '),
          160,
        ),
      })),
    notes: announcement.sections
      .flatMap(notesOf)
      .filter((text) => text.trim() !== '')
      .slice(0, most.notes)
      .map(line),
    tables: announcement.sections
      .flatMap((section) => (section.kind === 'table' ? [tableOf(section)] : []))
      .slice(0, most.tables),
    footer: footerOf(announcement).map(line),
  };
};
