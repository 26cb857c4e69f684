import { isLoopback } from '../../../core/index.ts';
import { BlockList, isIP } from 'node:net';

const own = new BlockList();
own.addSubnet('10.0.0.0', 8, 'ipv4');
own.addSubnet('172.16.0.0', 12, 'ipv4');
own.addSubnet('192.168.0.0', 16, 'ipv4');
own.addSubnet('169.254.0.0', 16, 'ipv4');
own.addSubnet('fc00::', 7, 'ipv6');
own.addSubnet('fe80::', 10, 'ipv6');

/** Names outside the public DNS: without a dot (as in a Compose file), or reserved for private networks. */
const ownName = /^[^.]+$|\.(?:local|internal|lan|home\.arpa|localhost)$/i;

/**
 * Whether a host, by its address or name alone, is this machine or in a private network: RFC 1918, RFC 4193, link-local,
 * or a name outside the public DNS. Sends no DNS query.
 */
export const isPrivateHost = (host: string): boolean => {
  if (isLoopback(host)) return true;
  const version = isIP(host);
  return version === 0 ? ownName.test(host) : own.check(host, version === 6 ? 'ipv6' : 'ipv4');
};

export type SmtpServerAddress = {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (smtps), without STARTTLS. */
  readonly implicitTls: boolean;
  readonly login?: { readonly user: string; readonly password: string };
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Parses `smtp(s)://user:password@host:port`; the port defaults to 587 or 465. */
export const readSmtpUrl = (text: string): SmtpServerAddress | undefined => {
  if (!/^smtps?:\/\//.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.hostname === '') return undefined;
  const implicitTls = url.protocol === 'smtps:';
  const login = { user: decoded(url.username), password: decoded(url.password) };
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (implicitTls ? 465 : 587) : Number(url.port),
    implicitTls,
    ...(login.user === '' ? {} : { login }),
  };
};

/** Refuse a server without STARTTLS, use it if offered, or never use it. */
export type StartTls = 'required' | 'offered' | 'never';

/**
 * Passwords never cross a network unencrypted, and mails only a private network, unless `insecure` allows it.
 * `requireTls` requires TLS everywhere.
 */
export const startTlsFor = (
  { host, implicitTls, login }: SmtpServerAddress,
  {
    requireTls = false,
    insecure = false,
  }: { readonly requireTls?: boolean | undefined; readonly insecure?: boolean | undefined },
): StartTls => {
  if (implicitTls) return 'never';
  if (requireTls) return 'required';
  if (login !== undefined) return isLoopback(host) ? 'offered' : 'required';
  if (insecure) return 'never';
  return isPrivateHost(host) ? 'offered' : 'required';
};
