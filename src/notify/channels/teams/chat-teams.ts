import type { Announcement } from '../../announcement.ts';
import { summarise, withinLimit, type ChatSummary, type SummaryTable } from '../chat/chat-summary.ts';
import type { Envelope } from '../webhook/webhook-body.ts';

type Style = {
  readonly weight?: 'Bolder';
  readonly size?: 'Large' | 'Small';
  readonly isSubtle?: true;
  readonly fontType?: 'Monospace';
};

/** Cards expand `{{DATE(…)}}` in any text. */
const literal = (text: string): string => text.replaceAll('{{', '{\u200b{');

/** Text of a RichTextBlock is literal; a TextBlock or a fact would parse Markdown. */
const rich = (text: string, style: Style = {}, more: object = {}) => ({
  type: 'RichTextBlock',
  ...more,
  inlines: [{ type: 'TextRun', text: literal(text), ...style }],
});

const tableRow = (cells: readonly string[], columns: number, style: Style) => ({
  type: 'TableRow',
  cells: Array.from({ length: columns }, (_, index) => ({
    type: 'TableCell',
    items: [rich(cells[index] ?? '', style, index === 0 ? {} : { horizontalAlignment: 'Right' })],
  })),
});

const tableOf = ({ title, columns, rows }: SummaryTable): readonly object[] => [
  rich(title, { weight: 'Bolder' }, { spacing: 'Medium' }),
  {
    type: 'Table',
    columns: columns.map((_, index) => ({ width: index === 0 ? 2 : 1 })),
    firstRowAsHeader: true,
    showGridLines: false,
    rows: [
      tableRow(columns, columns.length, { isSubtle: true }),
      ...rows.map(({ cells, strong }) => tableRow(cells, columns.length, strong ? { weight: 'Bolder' } : {})),
    ],
  },
];

const message = ({ title, lead, facts, notes, tables, footer }: ChatSummary, id: string): string => {
  const [first, ...others] = lead;
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.5',
    msteams: { width: 'Full' },
    body: [
      rich(title, { weight: 'Bolder', size: 'Large' }, { id }),
      ...(first === undefined ? [] : [rich(first, { weight: 'Bolder' })]),
      ...others.map((line) => rich(line)),
      ...facts.map(({ label, text }) => ({
        type: 'ColumnSet',
        spacing: 'Small',
        columns: [
          { type: 'Column', width: 'stretch', items: [rich(label, { isSubtle: true })] },
          { type: 'Column', width: 'auto', items: [rich(text)] },
        ],
      })),
      ...notes.map((line) => rich(line)),
      ...tables.flatMap(tableOf),
      ...footer.map((line) => rich(line, { isSubtle: true, size: 'Small' }, { spacing: 'Small' })),
    ],
  };
  return JSON.stringify({
    type: 'message',
    summary: literal(title),
    attachments: [
      { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card },
    ],
  });
};

/** Bytes; Teams refuses messages over 28 kB. */
const limit = 26_000;

export const teamsBody = (announcement: Announcement, { id }: Envelope): string =>
  withinLimit(
    summarise(announcement),
    limit,
    (text) => Buffer.byteLength(text),
    (summary) => message(summary, id),
  );
