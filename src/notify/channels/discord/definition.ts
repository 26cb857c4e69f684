import { z } from 'zod';
import { secretUrl } from '../../../config/index.ts';
import { defineChannel, limit } from '../definition.ts';
import { createWebhookRoute } from '../webhook/webhook-route.ts';
import { discordBody } from './chat-discord.ts';

/** A webhook takes at most 30 messages per minute. */
const defaultRate = { count: 30, per: 60_000 };

/** Discord answers only after it has stored the message. */
const confirmed = (url: string): string => {
  const asked = new URL(url);
  asked.searchParams.set('wait', 'true');
  return asked.href;
};

export const discordChannel = defineChannel({
  kind: 'discord',
  description: 'Channel of Discord.',
  settings: z.strictObject({
    url: secretUrl.describe('Secret reference of the webhook URL.'),
    rate: limit,
  }),
  body: discordBody,
  create: (name, { url, rate }, deps) =>
    createWebhookRoute({
      name,
      url: { ...url, reveal: () => confirmed(url.reveal()) },
      rate: rate ?? defaultRate,
      ...deps,
    }),
});
