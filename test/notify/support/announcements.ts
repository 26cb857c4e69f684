import type { Announcement } from '../../../src/notify/index.ts';

const cell = (text: string, exact: string | null = null) => ({ exact, text });

export const announcement: Announcement = {
  kind: 'report',
  title: 'Spend',
  subject: 'Spend of 1 January: $1,234.57, up 12%',
  account: 'main',
  period: '1 January 2026',
  currency: 'USD',
  total: { label: 'Total', exact: '1234.567890123456', text: '$1,234.57' },
  change: {
    direction: 'up',
    ratio: '0.123456789012',
    text: '+12.3%',
    compared: 'against $1,098.90 the day before',
  },
  cause: 'gpt-4o rose most.',
  verdict: { verdict: 'agrees', good: true, text: 'Agrees with the gateway’s statistics.' },
  sections: [
    {
      kind: 'figures',
      figures: [
        { label: 'Calls', value: { exact: '41203', text: '41,203' } },
        {
          label: 'Per million tokens',
          value: { exact: '2.5', text: '$2.50' },
          change: { direction: 'down', ratio: '-0.1', text: '-10%' },
        },
      ],
    },
    { kind: 'notes', notes: [{ tone: 'look', text: 'A new key was seen: prod-7.' }] },
    {
      kind: 'table',
      title: 'By model',
      columns: ['Model', 'Spend', 'Share', 'Change'],
      rows: [
        ...Array.from({ length: 9 }, (_, index) => ({
          role: 'row' as const,
          cells: [
            cell(`model-${index}`),
            cell(`$${100 - index}.00`, `${100 - index}.000000000001`),
            cell('10%', '0.1'),
            cell(''),
          ],
        })),
        { role: 'other', cells: [cell('Other'), cell('$5.10', '5.1'), cell('1%', '0.1'), cell('')] },
        {
          role: 'total',
          cells: [cell('Total'), cell('$1,234.57', '1234.567890123456'), cell('100%', '1'), cell('')],
        },
      ],
    },
  ],
  footer: ['Data through 2 January 2026 00:00.', 'Amounts in USD.', 'Rounded.', 'Run daily-spend-1.'],
  runId: 'daily-spend-1',
};

/** The same with one text in every place where a name or a sentence may stand. */
export const saying = (text: string): Announcement => ({
  ...announcement,
  title: text,
  subject: text,
  account: text,
  cause: text,
  footer: [text],
  verdict: { verdict: 'differs', good: false, text },
  sections: [
    {
      kind: 'figures',
      figures: Array.from({ length: 12 }, () => ({ label: text, value: { exact: '1', text } })),
    },
    { kind: 'notes', notes: [{ tone: 'warning', text }] },
    { kind: 'text', paragraphs: Array.from({ length: 20 }, () => text) },
    ...Array.from({ length: 4 }, () => ({
      kind: 'table' as const,
      title: text,
      columns: [text, text, text, text],
      rows: Array.from({ length: 9 }, () => ({
        role: 'row' as const,
        cells: [cell(text), cell(text, '1'), cell(text, '1'), cell(text, '1')],
      })),
    })),
  ],
});
