import { randomUUID } from 'node:crypto';
import type { Context } from 'hono';
import { getCookie, setCookie, deleteCookie } from 'hono/cookie';
import { z } from 'zod';
import {
  deriveKey,
  hourMillis,
  isSameSecret,
  macOf,
  readSigned,
  signText,
  unixMillis,
  type Clock,
  type Secret,
  type UnixMillis,
} from '../../core/index.ts';

/** Someone who logged in with the token. */
export type Session = {
  readonly id: string;
  readonly expiresAt: UnixMillis;
  /** As the person stated it; empty if omitted. */
  readonly name: string;
  /** The token of the forms of this session. */
  readonly csrf: string;
};

export type Sessions = {
  /** Sets the cookie of a new session; false for a wrong token. */
  readonly open: (context: Context, token: string, name: string) => boolean;
  readonly of: (context: Context) => Promise<Session | undefined>;
  /** Ends the session of this cookie, wherever it is used. */
  readonly close: (context: Context) => Promise<void>;
};

/** Sessions that ended before they expired, on every replica and after a restart. */
export type EndedSessions = {
  readonly hasEnded: (id: string) => Promise<boolean>;
  readonly end: (session: Pick<Session, 'id' | 'expiresAt'>) => Promise<void>;
};

const cookieName = 'tollkeeper-session';
const lifetime = 12 * hourMillis;
const longestName = 100;

const sessionSchema = z.strictObject({
  id: z.uuid(),
  name: z.string().max(longestName),
  expiresAt: z.int().transform(unixMillis),
});

/**
 * The cookie is signed with a key that is derived from the token, so that sessions survive a restart and end when the token
 * changes; only those that a person has ended are stored. `secure` sends the cookie only over HTTPS.
 */
export const createSessions = (
  token: Secret,
  {
    clock,
    secure,
    ended,
  }: { readonly clock: Clock; readonly secure: boolean; readonly ended: EndedSessions },
): Sessions => {
  const cookieKey = deriveKey(token, 'session of the status page');
  const csrfKey = deriveKey(token, 'forms of the status page');
  const options = { path: '/', httpOnly: true, sameSite: 'Strict', secure } as const;
  /** That of the cookie, as long as it was signed here and has not expired. */
  const signedIn = (context: Context): Session | undefined => {
    const cookie = getCookie(context, cookieName);
    const text = cookie === undefined ? undefined : readSigned(cookie, cookieKey);
    if (cookie === undefined || text === undefined) return undefined;
    // Another version may have signed another shape.
    const session = sessionSchema.safeParse(JSON.parse(text)).data;
    return session === undefined || session.expiresAt <= clock.now()
      ? undefined
      : { ...session, csrf: macOf(cookie, csrfKey) };
  };
  return {
    open: (context, given, name) => {
      const now = clock.now();
      if (!isSameSecret(given, token.reveal())) return false;
      const session = { id: randomUUID(), name: name.slice(0, longestName), expiresAt: now + lifetime };
      setCookie(context, cookieName, signText(JSON.stringify(session), cookieKey), {
        ...options,
        maxAge: lifetime / 1000,
      });
      return true;
    },
    of: async (context) => {
      const session = signedIn(context);
      return session === undefined || (await ended.hasEnded(session.id)) ? undefined : session;
    },
    close: async (context) => {
      const session = signedIn(context);
      if (session !== undefined) await ended.end({ id: session.id, expiresAt: session.expiresAt });
      deleteCookie(context, cookieName, options);
    },
  };
};
