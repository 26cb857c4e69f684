import type { Context } from 'hono';
import { getCookie, setCookie, deleteCookie } from 'hono/cookie';
import { z } from 'zod';
import {
  deriveKey,
  hourMillis,
  isSameSecret,
  macOf,
  minuteMillis,
  readSigned,
  signText,
  type Clock,
  type Secret,
} from '../../core/index.ts';

/** Someone who logged in with the token. */
export type Session = {
  /** As the person stated it; empty if omitted. */
  readonly name: string;
  /** The token of the forms of this session. */
  readonly csrf: string;
};

export type Sessions = {
  /** Sets the cookie of a new session; false for a wrong token. */
  readonly open: (context: Context, token: string, name: string) => boolean;
  readonly of: (context: Context) => Session | undefined;
  readonly close: (context: Context) => void;
  /** Too many wrong tokens in the last minute: the token could be guessed. */
  readonly isThrottled: () => boolean;
};

const cookieName = 'tollkeeper-session';
const lifetime = 12 * hourMillis;
/** Wrong tokens in a minute, from all clients. */
const maxWrong = 10;
const longestName = 100;

const sessionSchema = z.strictObject({ name: z.string().max(longestName), expiresAt: z.int() });

/**
 * Sessions without a store: the cookie is signed with a key that is derived from the token, so that they survive a restart and
 * end when the token changes. `secure` sends the cookie only over HTTPS.
 */
export const createSessions = (
  token: Secret,
  { clock, secure }: { readonly clock: Clock; readonly secure: boolean },
): Sessions => {
  const cookieKey = deriveKey(token, 'session of the status page');
  const csrfKey = deriveKey(token, 'forms of the status page');
  let wrong: readonly number[] = [];
  const options = { path: '/', httpOnly: true, sameSite: 'Strict', secure } as const;
  return {
    open: (context, given, name) => {
      const now = clock.now();
      if (!isSameSecret(given, token.reveal())) {
        wrong = [...wrong, now].slice(-maxWrong);
        return false;
      }
      const session = { name: name.slice(0, longestName), expiresAt: now + lifetime };
      setCookie(context, cookieName, signText(JSON.stringify(session), cookieKey), {
        ...options,
        maxAge: lifetime / 1000,
      });
      return true;
    },
    of: (context) => {
      const cookie = getCookie(context, cookieName);
      const text = cookie === undefined ? undefined : readSigned(cookie, cookieKey);
      if (cookie === undefined || text === undefined) return undefined;
      // Another version may have signed another shape.
      const session = sessionSchema.safeParse(JSON.parse(text)).data;
      return session === undefined || session.expiresAt <= clock.now()
        ? undefined
        : { name: session.name, csrf: macOf(cookie, csrfKey) };
    },
    close: (context) => void deleteCookie(context, cookieName, options),
    isThrottled: () => wrong.length === maxWrong && Math.abs(clock.now() - (wrong[0] ?? 0)) < minuteMillis,
  };
};
