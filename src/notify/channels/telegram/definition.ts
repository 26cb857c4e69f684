import { z } from 'zod';
import { openUrl, secret } from '../../../config/index.ts';
import { addressBelow, defineChannel, limit } from '../definition.ts';
import { createWebhookRoute } from '../webhook/webhook-route.ts';
import { telegramBody } from './chat-telegram.ts';

/** A group receives at most 20 messages of a bot per minute. */
const defaultRate = { count: 20, per: 60_000 };

export const telegramChannel = defineChannel({
  kind: 'telegram',
  description: 'Chat, group or channel of Telegram, through a bot.',
  settings: z.strictObject({
    token: secret.describe('Secret reference of the token of the bot.'),
    chat: z
      .union([z.int(), z.string().regex(/^(?:@[A-Za-z0-9_]{1,64}|-?\d{1,20})$/, 'must be a number or @NAME')])
      .describe('Id of the chat, such as -1001234567890, or @NAME of a public channel.'),
    url: openUrl
      .prefault('https://api.telegram.org')
      .describe('Address of the Bot API, for a server of your own.'),
    rate: limit,
  }),
  body: telegramBody,
  create: (name, { token, chat, url, rate }, deps) =>
    createWebhookRoute({
      name,
      // The message is stored without the chat, and the API takes parameters from both.
      url: addressBelow(url, () => `bot${token.reveal()}/sendMessage`, { chat_id: String(chat) }),
      rate: rate ?? defaultRate,
      secrets: [token],
      ...deps,
    }),
});
