import type { Announcement } from '../../announcement.ts';
import { joined, plainChat, type ChatPiece } from '../chat/plain-chat.ts';

/** UTF-16 code units of a message. */
const limit = 4096;

/** Without a parse mode no text is markup, but clients link mentions, commands, tags and addresses. */
const literal = (text: string): string =>
  text.replaceAll(/[@#](?=[\p{L}\p{N}_])|(?<![\p{L}\p{N}])\/(?=[A-Za-z])|:(?=\/\/)/gu, '$&\u200b');

const styles = { title: 'bold', code: 'pre' } as const;

/** Positions of styles are sent beside the text, in UTF-16 code units. */
const entitiesOf = (text: string, pieces: readonly (ChatPiece & { readonly written: string })[]) => {
  let from = 0;
  return pieces.flatMap(({ style, written }) => {
    const offset = text.indexOf(written, from);
    if (offset < 0) return [];
    from = offset + written.length;
    return style === 'text' ? [] : [{ type: styles[style], offset, length: written.length }];
  });
};

export const telegramBody = (announcement: Announcement): string => {
  let shown: readonly (ChatPiece & { readonly written: string })[] = [];
  const text = plainChat(
    announcement,
    limit,
    (all) => all.length,
    (pieces) => {
      shown = pieces.map((piece) => ({
        ...piece,
        written: piece.style === 'code' ? piece.text : literal(piece.text),
      }));
      return joined(shown);
    },
  );
  return JSON.stringify({
    text,
    entities: entitiesOf(text, shown),
    link_preview_options: { is_disabled: true },
  });
};
