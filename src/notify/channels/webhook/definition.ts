import { z } from 'zod';
import { openUrl, signingSecret } from '../../../config/index.ts';
import { defineChannel, limit } from '../definition.ts';
import { webhookBody } from './webhook-body.ts';
import { createWebhookRoute } from './webhook-route.ts';

export const webhookChannel = defineChannel({
  kind: 'webhook',
  description: 'HTTP endpoint of your own, which receives all figures as signed JSON.',
  settings: z.strictObject({
    url: openUrl.describe('URL that JSON is posted to; https, except on loopback.'),
    secret: signingSecret.describe(
      'Secret reference of the key that signs each request (HMAC-SHA256), at least 16 characters.',
    ),
    rate: limit,
  }),
  body: webhookBody,
  create: (name, settings, deps) => createWebhookRoute({ name, ...settings, ...deps }),
});
