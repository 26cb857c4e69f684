import { fault, type UnixMillis } from '../core/index.ts';
import { oneLine } from './address.ts';
import type { Announcement } from './announcement.ts';
import { channelOf, type RouteKind } from './channels/registry.ts';
import { messageIdOf, type Draft, type MessageKey } from './draft.ts';

/** One message per route. @throws Fault `config-invalid` for an undeclared route */
export const routeDrafts = (
  key: MessageKey,
  announcement: Announcement,
  to: readonly string[],
  at: UnixMillis,
  kinds: ReadonlyMap<string, RouteKind>,
): readonly Draft[] =>
  [...new Set(to)].map((route): Draft => {
    const kind = kinds.get(route);
    if (kind === undefined)
      throw fault('config-invalid', `unknown route ${JSON.stringify(route)}`, {
        advice: 'add it under routes in tollkeeper.yaml',
      });
    const id = messageIdOf(key, route);
    return {
      ...key,
      title: oneLine(announcement.subject),
      recipient: route,
      sender: '',
      messageId: id,
      route,
      render: () => Buffer.from(channelOf(kind).body(announcement, { id, at }), 'utf8'),
    };
  });
