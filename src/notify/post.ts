import { createHash } from 'node:crypto';
import { fault } from '../core/index.ts';
import { oneLine } from './address.ts';
import type { Announcement } from './announcement.ts';
import { channelOf, type RouteKind } from './channels/registry.ts';
import { enqueueBytes, type Enqueued, type EnqueueDeps, type MailKey } from './enqueue.ts';

export type PostDeps = EnqueueDeps & {
  readonly kinds: ReadonlyMap<string, RouteKind>;
};

export type Post = {
  /** Identity of the message: it is sent once per key and route. */
  readonly key: MailKey;
  readonly announcement: Announcement;
  readonly to: readonly string[];
};

const idOf = ({ account, kind, subject }: MailKey, route: string): string =>
  createHash('sha256')
    .update(JSON.stringify([account, kind, subject, route]))
    .digest('hex')
    .slice(0, 40);

/**
 * Enqueues one message per route; the same key and route only once. It is rendered now and sent unchanged. Sends nothing.
 * @throws Fault `config-invalid` for an undeclared route, `disk-full`, `path-unwritable`
 */
export const enqueuePost = async (deps: PostDeps, post: Post): Promise<readonly Enqueued[]> => {
  const enqueued: Enqueued[] = [];
  for (const route of new Set(post.to)) {
    const kind = deps.kinds.get(route);
    if (kind === undefined)
      throw fault('config-invalid', `unknown route ${JSON.stringify(route)}`, {
        advice: 'add it under routes in tollkeeper.yaml',
      });
    const id = idOf(post.key, route);
    const body = channelOf(kind).body(post.announcement, { id, at: deps.clock.now() });
    const title = oneLine(post.announcement.subject);
    const rendered = { ...post.key, title, recipient: route, sender: '', messageId: id, route };
    enqueued.push(await enqueueBytes(deps, { ...rendered, bytes: Buffer.from(body, 'utf8') }));
  }
  return enqueued;
};
