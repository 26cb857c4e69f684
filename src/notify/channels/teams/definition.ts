import { z } from 'zod';
import { secretUrl } from '../../../config/index.ts';
import { defineChannel, limit } from '../definition.ts';
import { createWebhookRoute } from '../webhook/webhook-route.ts';
import { teamsBody } from './chat-teams.ts';

/** Teams allows at most four messages per second. */
const defaultRate = { count: 4, per: 1000 };

export const teamsChannel = defineChannel({
  kind: 'teams',
  description: 'Channel of Microsoft Teams.',
  settings: z.strictObject({
    url: secretUrl.describe('Secret reference of the webhook URL of the workflow.'),
    rate: limit,
  }),
  body: teamsBody,
  create: (name, { url, rate }, deps) =>
    createWebhookRoute({ name, url, rate: rate ?? defaultRate, ...deps }),
});
