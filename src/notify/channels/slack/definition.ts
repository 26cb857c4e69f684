import { z } from 'zod';
import { secretUrl } from '../../../config/index.ts';
import { defineChannel, limit } from '../definition.ts';
import { createWebhookRoute } from '../webhook/webhook-route.ts';
import { slackBody } from './chat-slack.ts';

/** Slack allows at most one message per second. */
const defaultRate = { count: 1, per: 1000 };

export const slackChannel = defineChannel({
  kind: 'slack',
  description: 'Channel of Slack, or of a service that accepts Slack webhooks.',
  settings: z.strictObject({
    url: secretUrl.describe('Secret reference of the incoming webhook URL.'),
    rate: limit,
  }),
  body: slackBody,
  create: (name, { url, rate }, deps) =>
    createWebhookRoute({ name, url, rate: rate ?? defaultRate, ...deps }),
});
