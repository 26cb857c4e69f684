import { isIP } from 'node:net';
import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context } from 'hono';
import { addressesIn, type Clock, type Secret } from '../../core/index.ts';
import { hasBearer, type Refuse } from '../guard.ts';
import { createThrottle } from '../throttle.ts';
import { createUrlTokens, type UrlTokens } from './url-tokens.ts';
import { createSessions, type EndedSessions, type Session, type Sessions } from './session.ts';

export type AccessOptions = {
  /** Whether anyone who reaches the page may read it: it listens on loopback. */
  readonly isOpen: boolean;
  /** The token for the login and for bearer authentication. Without it, the page is read-only. */
  readonly token?: Secret | undefined;
  /** The token that opens the feed by its URL, and from which those of badges are derived. */
  readonly feedToken?: Secret | undefined;
  /** Proxies that have authenticated the reader whom the header names. */
  readonly proxies?: { readonly addresses: readonly string[]; readonly header: string } | undefined;
  /** Whether cookies are sent only over HTTPS. */
  readonly secure: boolean;
  readonly ended: EndedSessions;
  readonly clock: Clock;
  readonly refuse: Refuse;
};

export type Access = {
  /** Missing without a token. */
  readonly sessions: Sessions | undefined;
  /** Who acts with the forms of the page; undefined for a reader. */
  readonly sessionOf: (context: Context) => Promise<Session | undefined>;
  /** Missing without a token for the feed. */
  readonly urlTokens: UrlTokens | undefined;
  /** Counts a wrong bearer token, and a wrong token in a URL. */
  readonly mayRead: (context: Context) => Promise<boolean>;
  /** Guesses of the token, at the login and as bearer, by the address of the client. */
  readonly guesses: {
    readonly areTooMany: (context: Context) => boolean;
    readonly wrong: (context: Context) => void;
  };
};

/** An IPv4 client of a socket that also serves IPv6 has an address such as ::ffff:10.0.0.1. */
const remoteOf = (context: Context): string =>
  (getConnInfo(context).remote.address ?? '').replace(/^::ffff:(?=\d+\.)/i, '');

export const createAccess = ({
  isOpen,
  token,
  feedToken,
  proxies,
  secure,
  ended,
  clock,
  refuse,
}: AccessOptions): Access => {
  const sessions = token === undefined ? undefined : createSessions(token, { clock, secure, ended });
  const urlTokens = feedToken === undefined ? undefined : createUrlTokens(feedToken);
  const throttle = createThrottle(clock);
  const isTrusted = addressesIn(proxies?.addresses ?? []);
  /** The nearest address that is no proxy of ours; who is no proxy may write anything into the header. */
  const clientOf = (context: Context): string => {
    const forwarded = (context.req.header('x-forwarded-for') ?? '').split(',').map((one) => one.trim());
    let client = remoteOf(context);
    while (isTrusted(client) && isIP(forwarded.at(-1) ?? '') !== 0) client = forwarded.pop() ?? client;
    return client;
  };
  const guesses = {
    areTooMany: (context: Context) => throttle.isBlocked(clientOf(context)),
    wrong: (context: Context) => throttle.wrong(clientOf(context)),
  };
  const comesFromProxy = (context: Context): boolean => {
    if (proxies === undefined) return false;
    const name = context.req.header(proxies.header);
    if (name === undefined || name.trim() === '') return false;
    const remote = remoteOf(context);
    if (isTrusted(remote)) return true;
    refuse(
      'proxy header from an address that is no proxy',
      `add ${remote} to status.proxies.addresses if it is your proxy; otherwise someone tries to bypass it`,
    );
    return false;
  };
  const sessionOf = async (context: Context): Promise<Session | undefined> => sessions?.of(context);
  return {
    sessions,
    sessionOf,
    urlTokens,
    mayRead: async (context) => {
      if (isOpen || comesFromProxy(context) || (await sessionOf(context)) !== undefined) return true;
      const header = context.req.header('authorization');
      const inUrl = context.req.query('token');
      if (header === undefined && inUrl === undefined) return false;
      // A correct one always passes.
      if (token !== undefined && hasBearer(header, token)) return true;
      if (inUrl !== undefined && urlTokens?.opens(context.req.path, inUrl) === true) return true;
      guesses.wrong(context);
      return false;
    },
    guesses,
  };
};
