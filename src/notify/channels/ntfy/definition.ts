import { z } from 'zod';
import { openUrl, secret } from '../../../config/index.ts';
import { addressBelow, defineChannel, limit } from '../definition.ts';
import { joined, plainChat } from '../chat/plain-chat.ts';
import { createWebhookRoute } from '../webhook/webhook-route.ts';
import type { Announcement } from '../../announcement.ts';

/** The public server takes one message of a visitor every five seconds. */
const defaultRate = { count: 12, per: 60_000 };

/** Bytes; a longer message would become a file that readers have to open. */
const mostBytes = 4000;

/** Plain text, which no client parses; the first line is the title. */
export const ntfyBody = (announcement: Announcement): string =>
  plainChat(
    announcement,
    mostBytes,
    (text) => Buffer.byteLength(text),
    (pieces) => joined(pieces.map((piece) => ({ ...piece, written: piece.text }))),
  );

export const ntfyChannel = defineChannel({
  kind: 'ntfy',
  description: 'Topic of ntfy, on the public server or your own.',
  settings: z.strictObject({
    topic: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be letters, digits, "_" and "-", at most 64 long')
      .describe('Name of the topic. On a server without access control, anyone who knows it can read it.'),
    url: openUrl.prefault('https://ntfy.sh').describe('Address of the server.'),
    token: secret.optional().describe('Secret reference of an access token.'),
    rate: limit,
  }),
  body: ntfyBody,
  create: (name, { topic, url, token, rate }, deps) =>
    createWebhookRoute({
      name,
      url: addressBelow(url, () => topic),
      rate: rate ?? defaultRate,
      contentType: 'text/plain; charset=utf-8',
      ...(token === undefined
        ? {}
        : { headers: { authorization: `Bearer ${token.reveal()}` }, secrets: [token] }),
      ...deps,
    }),
});
