import { z } from 'zod';
import { routeKey } from './fields.ts';
import { exactlyOneOf } from './notes.ts';

/** What the config needs to know about a kind of channel. */
export type ChannelKind = {
  readonly kind: string;
  readonly description: string;
  readonly settings: z.ZodType;
};

/** Routes other than mail, by name; each has one channel. */
export const routesOf = (channels: readonly ChannelKind[]) => {
  const kinds = channels.map(({ kind }) => kind);
  const shape: Record<string, z.ZodType> = {};
  for (const { kind, settings, description } of channels)
    shape[kind] = settings.optional().describe(description);
  const route = z.strictObject(shape).refine(...exactlyOneOf(kinds));
  return z
    .record(routeKey, route)
    .prefault({})
    .describe(
      'Destinations besides mail, by name: your own webhooks, Slack, Microsoft Teams, Telegram, Discord and ntfy.',
    );
};
