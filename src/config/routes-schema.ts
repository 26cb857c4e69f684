import { z } from 'zod';
import { openUrl, rate, routeKey, secret, secretUrl } from './fields.ts';

const kinds = ['webhook', 'slack', 'teams'] as const;

const limit = rate.optional().describe('How many messages it is given at most in a span of time.');

const route = z
  .strictObject({
    webhook: z
      .strictObject({
        url: openUrl.describe('Where JSON is posted, https but for loopback.'),
        secret: secret.describe('Signs what is posted (HMAC-SHA256), by reference.'),
        rate: limit,
      })
      .optional()
      .describe('A program of your own: all figures as JSON, signed.'),
    slack: z
      .strictObject({ url: secretUrl.describe('The incoming webhook, by reference.'), rate: limit })
      .optional()
      .describe('A channel of Slack, or of what takes its incoming webhooks.'),
    teams: z
      .strictObject({ url: secretUrl.describe('The webhook of the workflow, by reference.'), rate: limit })
      .optional()
      .describe('A channel of Microsoft Teams.'),
  })
  .refine((value) => kinds.filter((kind) => value[kind] !== undefined).length === 1, {
    error: `must have exactly one of ${kinds.join(', ')}`,
  });

/** Ways out beside mail, by name. */
export const routes = z.record(routeKey, route);
