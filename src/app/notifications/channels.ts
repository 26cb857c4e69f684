import { domainToASCII } from 'node:url';
import { parseMailbox, type Log, type Deps } from '../../core/index.ts';
import type { Config } from '../../config/index.ts';
import {
  createMailRoute,
  createRoute,
  createSmtpTransport,
  createTokenSource,
  type MessageDefaults,
  type MailTransport,
  type OutboxRoute,
  type RouteKind,
} from '../../notify/index.ts';
import { createHttp, type Http } from '../../http/index.ts';
import { version } from '../../version.ts';

/** Opens each connection on first use. */
export type Channels = AsyncDisposable & {
  readonly transport: MailTransport | undefined;
  readonly routes: readonly OutboxRoute[];
  readonly kinds: ReadonlyMap<string, RouteKind>;
  readonly messageDefaults: MessageDefaults;
};

const timeouts = { connect: 15_000, headers: 30_000, idle: 30_000, total: 60_000 };

const messageDefaultsOf = (mail: Config['settings']['mail']): MessageDefaults => {
  const replyTo = mail?.reply_to === undefined ? undefined : parseMailbox(mail.reply_to);
  const { mailto, url } = mail?.list_unsubscribe ?? {};
  return {
    replyTo,
    ...(mailto === undefined && url === undefined
      ? {}
      : {
          unsubscribe: { mailto, url },
        }),
    ...(mail?.dkim === undefined ? {} : { dkim: mail.dkim }),
  };
};

/** In ASCII, as it appears in a greeting; undefined where the sender has none. */
const senderDomain = (from: string): string | undefined => {
  const { address = '' } = parseMailbox(from) ?? {};
  return domainToASCII(address.slice(address.lastIndexOf('@') + 1)) || undefined;
};

export const openChannels = (
  config: Config,
  deps: Deps,
  log: Log,
  confirm: (() => Promise<unknown>) | undefined,
): Channels => {
  const { mail, routes } = config.settings;
  const { clock, secrets, env } = deps;
  const https: Http[] = [];
  const open = (ca: readonly string[] = []): Http => {
    const http = createHttp({ userAgent: `tollkeeper/${version}`, env, ca, timeouts });
    https.push(http);
    return http;
  };
  const kinds = new Map<string, RouteKind>();

  const openMail = (): MailTransport | undefined => {
    if (mail === undefined) return undefined;
    const ca = mail.tls === undefined ? [] : [config.certificates.get(mail.tls.ca) ?? ''];
    const { oauth2, require_tls: requireTls, insecure } = mail;
    const grant =
      oauth2 === undefined
        ? undefined
        : {
            clientId: oauth2.client_id,
            clientSecret: oauth2.client_secret,
            refreshToken: oauth2.refresh_token,
            tokenUrl: oauth2.token_url,
            scope: oauth2.scope,
          };
    return createSmtpTransport({
      url: mail.smtp,
      ehlo: mail.ehlo ?? senderDomain(mail.from),
      ca,
      log,
      env,
      redact: secrets.redact,
      requireTls,
      insecure,
      confirm,
      ...(grant === undefined
        ? {}
        : { tokens: createTokenSource(grant, { http: open(ca), clock, secrets }) }),
    });
  };

  const openRoutes = (): readonly OutboxRoute[] => {
    const names = Object.keys(routes);
    if (names.length === 0) return [];
    const http = open();
    return names.map((name) => {
      const { kind, route } = createRoute(name, routes[name] ?? {}, { http, clock });
      kinds.set(name, kind);
      return route;
    });
  };

  const transport = openMail();
  const webhooks = openRoutes();
  return {
    transport,
    routes: [...(transport === undefined ? [] : [createMailRoute(transport, mail?.rate)]), ...webhooks],
    kinds,
    messageDefaults: messageDefaultsOf(mail),
    [Symbol.asyncDispose]: async () => {
      await transport?.[Symbol.asyncDispose]();
      await Promise.all(https.map((http) => http[Symbol.asyncDispose]()));
    },
  };
};
