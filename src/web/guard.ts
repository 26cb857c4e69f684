import { isIP } from 'node:net';
import { isSameSecret, minuteMillis, type Clock, type Log, type Secret } from '../core/index.ts';

/**
 * Whether a Host header names this server: an IP address, `localhost`, or a name of the settings. Prevents DNS rebinding, where
 * another site's name resolves to this address and its scripts could read the answers.
 */
export const isKnownHost = (header: string | undefined, names: readonly string[]): boolean => {
  if (header === undefined || !/^[\w.:[\]-]+$/.test(header) || !URL.canParse(`http://${header}`))
    return false;
  const name = new URL(`http://${header}`).hostname.replace(/\.$/, '');
  if (isIP(name.replaceAll(/[[\]]/g, '')) !== 0) return true;
  return (
    name === 'localhost' || name.endsWith('.localhost') || names.some((own) => own.toLowerCase() === name)
  );
};

/** Whether an Authorization header has the token as its bearer token. */
export const hasBearer = (header: string | undefined, token: Secret): boolean => {
  const given = /^bearer +(\S+)$/i.exec(header ?? '')?.[1];
  return isSameSecret(given ?? '', token.reveal()) && given !== undefined;
};

export type Refuse = (reason: string, advice: string) => void;

/** One log line a minute for each reason, with the number since the last one: a client repeats itself. */
export const createRefusals = (what: string, clock: Clock, log: Log): Refuse => {
  const kinds = new Map<string, { loggedAt: number; count: number }>();
  return (reason, advice) => {
    const now = clock.now();
    const kind = kinds.get(reason) ?? { loggedAt: Number.NEGATIVE_INFINITY, count: 0 };
    kinds.set(reason, kind);
    kind.count += 1;
    // A clock that was set back does not silence it.
    if (Math.abs(now - kind.loggedAt) < minuteMillis) return;
    log.warn(what, { reason, requests: kind.count, advice });
    kind.loggedAt = now;
    kind.count = 0;
  };
};
