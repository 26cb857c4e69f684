import type { Announcement } from '../../announcement.ts';
import { summarise, withinLimit, type ChatSummary, type SummaryTable } from '../chat/chat-summary.ts';
import { chatLines, cut } from '../chat/chat-text.ts';
import { aligned } from '../chat/plain-chat.ts';
import type { Envelope } from '../webhook/webhook-body.ts';

/**
 * For `text`, which notifications show, and which Slack-compatible chats without blocks parse as their markup: escapes
 * entities as Slack requires, and prevents mentions, links with their own text, code, emphasis and emoji names.
 */
const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[@`*_~]|\](?=\()|:(?=\/\/|[\w+-]+:)/g, '$&\u200b');

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false });

/** Blocks contain only literal text: plain_text, and text elements of rich_text, which have no markup. */
const section = (lines: readonly string[]) => ({ type: 'section', text: plain(chatLines(lines, 2000)) });

const tableBlock = (table: SummaryTable) => ({
  type: 'rich_text',
  elements: [
    { type: 'rich_text_section', elements: [{ type: 'text', text: table.title, style: { bold: true } }] },
    { type: 'rich_text_preformatted', elements: [{ type: 'text', text: cut(aligned(table), 2000) }] },
  ],
});

const blocksOf = (summary: ChatSummary, id: string) => [
  { type: 'header', block_id: id, text: plain(summary.title) },
  ...(summary.lead.length === 0 ? [] : [section(summary.lead)]),
  ...(summary.facts.length === 0
    ? []
    : [{ type: 'section', fields: summary.facts.map(({ label, text }) => plain(`${label}\n${text}`)) }]),
  ...(summary.notes.length === 0 ? [] : [section(summary.notes)]),
  ...summary.tables.map(tableBlock),
  ...(summary.footer.length === 0
    ? []
    : [{ type: 'context', elements: [plain(chatLines(summary.footer, 1500))] }]),
];

const message = (summary: ChatSummary, id: string): string => {
  const facts = summary.facts.map(({ label, text }) => `${label}: ${text}`);
  return JSON.stringify({
    text: escaped([summary.title, ...summary.lead, ...facts, ...summary.notes].join('\n')),
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: blocksOf(summary, id),
  });
};

/** Characters; Slack refuses blocks of some 13,000 in all. */
const limit = 13_000;

const blocksLength = (text: string): number => text.length - text.indexOf('"blocks":');

export const slackBody = (announcement: Announcement, { id }: Envelope): string =>
  withinLimit(summarise(announcement), limit, blocksLength, (summary) => message(summary, id));
