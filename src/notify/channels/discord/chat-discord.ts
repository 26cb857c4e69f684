import type { Announcement } from '../../announcement.ts';
import { joined, plainChat, type ChatPiece } from '../chat/plain-chat.ts';

/** Characters of a message. */
const limit = 2000;

/** Flag of a message without previews of its links. */
const suppressEmbeds = 4;

/** Discord parses Markdown, mentions, emoji and times in `<…>`, and links addresses. */
const literal = (text: string): string =>
  text
    .replaceAll(/[\\*_~`|<>[\]()#-]/g, '\\$&')
    .replaceAll(/@|:(?=\/\/)/g, '$&\u200b')
    .replaceAll(/(?<=\w)\.(?=[a-z]{2})/gi, '$&\u200b');

const written = ({ style, text }: ChatPiece): string => {
  if (style === 'code') return `\`\`\`\n${text.replaceAll('`', '`\u200b')}\n\`\`\``;
  return style === 'title' ? `**${literal(text)}**` : literal(text);
};

/** Mentions in names notify nobody: the list of what may be mentioned is empty. */
export const discordBody = (announcement: Announcement): string =>
  JSON.stringify({
    content: plainChat(
      announcement,
      limit,
      (text) => text.length,
      (pieces) => joined(pieces.map((piece) => ({ ...piece, written: written(piece) }))),
    ),
    allowed_mentions: { parse: [] },
    flags: suppressEmbeds,
  });
