import { z } from 'zod';
import { openUrl, rate, routeKey, secret, secretUrl } from './fields.ts';

const kinds = ['webhook', 'slack', 'teams'] as const;

const limit = rate.optional().describe('Maximum rate of messages. Unlimited if omitted.');

const route = z
  .strictObject({
    webhook: z
      .strictObject({
        url: openUrl.describe('URL that JSON is posted to; https, except on loopback.'),
        secret: secret.describe('Secret reference of the key that signs each request (HMAC-SHA256).'),
        rate: limit,
      })
      .optional()
      .describe('HTTP endpoint of your own, which receives all figures as signed JSON.'),
    slack: z
      .strictObject({ url: secretUrl.describe('Secret reference of the incoming webhook URL.'), rate: limit })
      .optional()
      .describe('Channel of Slack, or of a service that accepts Slack webhooks.'),
    teams: z
      .strictObject({
        url: secretUrl.describe('Secret reference of the webhook URL of the workflow.'),
        rate: limit,
      })
      .optional()
      .describe('Channel of Microsoft Teams.'),
  })
  .refine((value) => kinds.filter((kind) => value[kind] !== undefined).length === 1, {
    error: `must have exactly one of ${kinds.join(', ')}`,
  });

/** Routes beside mail, by name. */
export const routes = z.record(routeKey, route);
