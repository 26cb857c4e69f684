import { columnsOf, chatLines, cut } from './chat-text.ts';
import { summarise, withinLimit, type ChatSummary, type SummaryTable } from './chat-summary.ts';
import type { Announcement } from '../../announcement.ts';

/** The table in columns of a monospaced font. */
export const aligned = ({ columns, rows }: SummaryTable): string => {
  const all = [columns, ...rows.map(({ cells }) => cells)];
  const full = all.filter((cells) => cells.length > 1);
  const widths = columns.map((_, index) => Math.max(...full.map((cells) => columnsOf(cells[index] ?? ''))));
  return all
    .map((cells) =>
      cells
        .map((cell, index) => {
          const space = ' '.repeat(Math.max(0, (widths[index] ?? 0) - columnsOf(cell)));
          return index === 0 ? cell + space : space + cell;
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

/** A piece of a message that is one text. `code` is in a monospaced font. */
export type ChatPiece = { readonly style: 'title' | 'text' | 'code'; readonly text: string };

const piecesOf = ({ title, lead, facts, notes, tables, footer }: ChatSummary): readonly ChatPiece[] => {
  const text = (lines: readonly string[]): ChatPiece => ({ style: 'text', text: chatLines(lines, 1500) });
  const pieces: readonly ChatPiece[] = [
    { style: 'title', text: title },
    text(lead),
    text(facts.map((fact) => `${fact.label}: ${fact.text}`)),
    text(notes),
    ...tables.flatMap((table): readonly ChatPiece[] => [
      { style: 'title', text: table.title },
      { style: 'code', text: aligned(table) },
    ]),
    text(footer),
  ];
  return pieces.filter((piece) => piece.text !== '');
};

/**
 * A message that is one text, for chats without blocks: with all tables, or fewer, and otherwise cut at the limit. `write` renders the pieces in the
 * markup of the chat; `sizeOf` counts what the chat counts.
 */
export const plainChat = (
  announcement: Announcement,
  limit: number,
  sizeOf: (text: string) => number,
  write: (pieces: readonly ChatPiece[]) => string,
): string => {
  const text = withinLimit(summarise(announcement), limit, sizeOf, (summary) => write(piecesOf(summary)));
  let most = limit;
  let kept = text;
  // A character may count as several.
  for (; sizeOf(kept) > limit; most = Math.floor(most * 0.9)) kept = cut(text, most);
  return kept;
};

/** Pieces one below the other, with a blank line between them but after a title. */
export const joined = (pieces: readonly (ChatPiece & { readonly written: string })[]): string =>
  pieces
    .map(({ written }, at) => {
      const before = pieces[at - 1];
      return at === 0 ? written : `${before?.style === 'title' && at > 1 ? '\n' : '\n\n'}${written}`;
    })
    .join('');
