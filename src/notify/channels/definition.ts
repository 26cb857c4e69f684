import type { z } from 'zod';
import { rate } from '../../config/index.ts';
import { trimEndOf, type Clock, type Secret } from '../../core/index.ts';
import type { Http } from '../../http/index.ts';
import type { Announcement } from '../announcement.ts';
import type { OutboxRoute } from '../route.ts';
import type { Envelope } from './webhook/webhook-body.ts';

export const limit = rate.optional().describe('Maximum rate of messages. Unlimited if omitted.');

export type ChannelDeps = { readonly http: Http; readonly clock: Clock };

type Parts<Kind extends string> = {
  readonly kind: Kind;
  readonly description: string;
  readonly body: (announcement: Announcement, envelope: Envelope) => string;
};

export type ChannelDefinition<Kind extends string = string> = Parts<Kind> & {
  readonly settings: z.ZodType;
  /** Opens no connection. `settings` was parsed with the schema of this channel. @throws Fault `config-invalid` */
  readonly create: (name: string, settings: unknown, deps: ChannelDeps) => OutboxRoute;
};

/** A secret address below another one, whose path and query stay. */
export const addressBelow = (
  base: Secret,
  path: () => string,
  query: Readonly<Record<string, string>> = {},
): Secret => ({
  ...base,
  reveal: () => {
    const url = new URL(base.reveal());
    url.pathname = `${trimEndOf(url.pathname, '/')}/${path()}`;
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url.href;
  },
});

/** Lets each kind use its own settings type. */
export const defineChannel = <Kind extends string, Schema extends z.ZodType>({
  create,
  ...rest
}: Parts<Kind> & {
  readonly settings: Schema;
  readonly create: (name: string, settings: z.output<Schema>, deps: ChannelDeps) => OutboxRoute;
}): ChannelDefinition<Kind> => ({
  ...rest,
  create: (name, settings, deps) => create(name, settings as z.output<Schema>, deps),
});
