import { z } from 'zod';
import { openUrl, signingSecret } from '../../../config/index.ts';
import { fillNote } from '../setting-fields.ts';

export const webhookSettings = z.strictObject({
  url: openUrl.describe(`URL that the key is posted to; https, except on loopback. ${fillNote}`),
  secret: signingSecret.describe(
    'Secret reference of the key that signs each request (HMAC-SHA256), at least 16 characters.',
  ),
});

export type WebhookSpec = z.output<typeof webhookSettings> & { readonly kind: 'webhook' };
