import { BlockList, isIP } from 'node:net';
import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context } from 'hono';
import type { Clock, Secret } from '../../core/index.ts';
import { hasBearer, type Refuse } from '../guard.ts';
import { createSessions, type Session, type Sessions } from './session.ts';

export type AccessOptions = {
  /** Whether anyone who reaches the page may read it: it listens on loopback. */
  readonly isOpen: boolean;
  /** The token for the login and for bearer authentication. Without it, the page is read-only. */
  readonly token?: Secret | undefined;
  /** Proxies that have authenticated the reader whom the header names. */
  readonly proxies?: { readonly addresses: readonly string[]; readonly header: string } | undefined;
  /** Whether cookies are sent only over HTTPS. */
  readonly secure: boolean;
  readonly clock: Clock;
  readonly refuse: Refuse;
};

export type Access = {
  /** Missing without a token. */
  readonly sessions: Sessions | undefined;
  /** Who acts with the forms of the page; undefined for a reader. */
  readonly sessionOf: (context: Context) => Session | undefined;
  readonly mayRead: (context: Context) => boolean;
};

const listOf = (addresses: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const text of addresses) {
    const [address = '', prefix] = text.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
};

/** An IPv4 client of a socket that also serves IPv6 has an address such as ::ffff:10.0.0.1. */
const remoteOf = (context: Context): string =>
  (getConnInfo(context).remote.address ?? '').replace(/^::ffff:(?=\d+\.)/i, '');

export const createAccess = ({ isOpen, token, proxies, secure, clock, refuse }: AccessOptions): Access => {
  const sessions = token === undefined ? undefined : createSessions(token, { clock, secure });
  const trusted = proxies === undefined ? undefined : listOf(proxies.addresses);
  const comesFromProxy = (context: Context): boolean => {
    if (proxies === undefined || trusted === undefined) return false;
    const name = context.req.header(proxies.header);
    if (name === undefined || name.trim() === '') return false;
    const remote = remoteOf(context);
    if (isIP(remote) !== 0 && trusted.check(remote, isIP(remote) === 6 ? 'ipv6' : 'ipv4')) return true;
    refuse(
      'proxy header from an address that is no proxy',
      `add ${remote} to status.proxies.addresses if it is your proxy; otherwise someone tries to bypass it`,
    );
    return false;
  };
  const sessionOf = (context: Context): Session | undefined => sessions?.of(context);
  return {
    sessions,
    sessionOf,
    mayRead: (context) => {
      if (isOpen || sessionOf(context) !== undefined || comesFromProxy(context)) return true;
      const header = context.req.header('authorization');
      return header !== undefined && token !== undefined && hasBearer(header, token);
    },
  };
};
