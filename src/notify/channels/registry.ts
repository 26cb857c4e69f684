import type { OutboxRoute } from '../route.ts';
import type { ChannelDefinition, ChannelDeps } from './definition.ts';
import { discordChannel } from './discord/definition.ts';
import { ntfyChannel } from './ntfy/definition.ts';
import { telegramChannel } from './telegram/definition.ts';
import { slackChannel } from './slack/definition.ts';
import { teamsChannel } from './teams/definition.ts';
import { webhookChannel } from './webhook/definition.ts';

/** Mail is not a channel of routes: there is one mail server, its recipients are addresses, and its messages carry files. */
export const channels = [
  webhookChannel,
  slackChannel,
  teamsChannel,
  telegramChannel,
  discordChannel,
  ntfyChannel,
] as const;

export type RouteKind = (typeof channels)[number]['kind'];

const byKind = new Map<RouteKind, ChannelDefinition>(channels.map((channel) => [channel.kind, channel]));

export const channelOf = (kind: RouteKind): ChannelDefinition => {
  const channel = byKind.get(kind);
  if (channel === undefined) throw new RangeError(`no channel ${kind}`);
  return channel;
};

/** A parsed route is a map whose only key is the kind of its channel. */
export const createRoute = (
  name: string,
  written: Readonly<Record<string, unknown>>,
  deps: ChannelDeps,
): { readonly kind: RouteKind; readonly route: OutboxRoute } => {
  const channel = channels.find(({ kind }) => written[kind] !== undefined);
  if (channel === undefined) throw new RangeError(`the shape accepts no route without a kind: ${name}`);
  return { kind: channel.kind, route: channel.create(name, written[channel.kind], deps) };
};
