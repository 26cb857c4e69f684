import type { Secret } from '../../../core/index.ts';
import { defineSink } from '../definition.ts';
import { fillUrl, type SinkNames } from '../fill.ts';
import { short, wholePlace } from '../place.ts';
import { webhookSettings, type WebhookSpec } from './settings.ts';
import { createWebhookSink } from './webhook-sink.ts';

const filledSecret = (secret: Secret, names: SinkNames): Secret => {
  const value = fillUrl(secret.reveal(), names);
  return { ...secret, reveal: () => value };
};

export const webhookSink = defineSink({
  kind: 'webhook',
  description: 'Webhook sink: an HTTP endpoint that stores the key.',
  settings: webhookSettings,
  spec: (written): WebhookSpec => ({ kind: 'webhook', ...written }),
  fill: (spec, names) => ({ ...spec, url: filledSecret(spec.url, names) }),
  // The endpoint decides where it stores the key, so the service is part of the place.
  place: (spec, { account, service }) => {
    const url = spec.url.reveal();
    const host = URL.canParse(url) ? new URL(url).host : '';
    return wholePlace(`webhook:${account}/${service}:${host}~${short(url)}`);
  },
  create: createWebhookSink,
});
