import { createHash } from 'node:crypto';
import { fault, type UnixMillis } from '../core/index.ts';
import { oneLine } from './address.ts';
import type { Announcement } from './announcement.ts';
import { channelOf, type RouteKind } from './channels/registry.ts';
import type { Draft, MessageKey } from './draft.ts';

const idOf = ({ account, kind, subject }: MessageKey, route: string): string =>
  createHash('sha256')
    .update(JSON.stringify([account, kind, subject, route]))
    .digest('hex')
    .slice(0, 40);

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
    const id = idOf(key, route);
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
