import { isLoopback } from '../net/index.ts';

export type SmtpServerAddress = {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (smtps), not by STARTTLS. */
  readonly implicitTls: boolean;
  /** Whether a server that offers no STARTTLS is refused: everywhere but on loopback. */
  readonly needsStartTls: boolean;
  readonly login?: { readonly user: string; readonly password: string };
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Reads `smtp(s)://user:password@host:port`; submission ports 587 and 465 when none is given. */
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
    needsStartTls: !implicitTls && !isLoopback(url.hostname),
    ...(login.user === '' ? {} : { login }),
  };
};
