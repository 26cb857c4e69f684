import { z } from 'zod';
import {
  fault,
  isFault,
  messageOf,
  type Clock,
  type Fault,
  type Secret,
  type SecretRegistry,
} from '../../../core/index.ts';
import { isNetworkProblem, type Http } from '../../../http/index.ts';
import { oneLine } from '../../address.ts';

export type OAuth2Grant = {
  readonly clientId: string;
  readonly clientSecret: Secret;
  readonly refreshToken: Secret;
  readonly tokenUrl: string;
  readonly scope?: string | undefined;
};

export type TokenDeps = {
  readonly http: Http;
  readonly clock: Clock;
  /** Access tokens are registered here before any other code sees them. */
  readonly secrets: SecretRegistry;
};

export type TokenSource = {
  /** An access token valid for at least a minute; a new one if `renew` is set. @throws Fault of the mail group */
  readonly token: (renew: boolean, signal?: AbortSignal) => Promise<string>;
  /** Call it when the server refused the token. */
  readonly forget: () => void;
};

const answer = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().positive().optional(),
  refresh_token: z.string().min(1).optional(),
});

const refusal = z.object({ error: z.string(), error_description: z.string().optional() });

/** Milliseconds; tokens are renewed before they expire, or after an hour if the server states no expiry. */
const margin = 60_000;
const defaultLife = 3_600_000;

const sizeLimit = 64 * 1024;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/** Redacts before it cuts, since redaction cannot find a part of a secret. */
const errorText = (text: string, redact: SecretRegistry['redact']): string => {
  const checked = refusal.safeParse(parsed(text));
  if (!checked.success) return '';
  const { error, error_description: why } = checked.data;
  const message = redact(why === undefined ? error : `${error}: ${why}`);
  return `: “${oneLine(message).slice(0, 300)}”`;
};

/** Obtains access tokens with a refresh token, at most one request at a time, and caches one until shortly before its expiry. */
export const createTokenSource = (grant: OAuth2Grant, { http, clock, secrets }: TokenDeps): TokenSource => {
  const url = new URL(grant.tokenUrl);
  let known: { readonly token: string; readonly until: number } | undefined;
  let refreshToken = grant.refreshToken.reveal();
  let asking: Promise<string> | undefined;

  const refused = (status: number, text: string): Fault => {
    const message = errorText(text, secrets.redact);
    if (status === 429 || status >= 500)
      return fault('mail-deferred', `the token server ${url.host} answered ${status}${message}`);
    return fault(
      'mail-login-refused',
      `the token server ${url.host} refused the refresh token (${status})${message}`,
      {
        advice: 'check mail.oauth2; a refresh token that was revoked or has expired must be authorized again',
      },
    );
  };

  const ask = async (signal?: AbortSignal): Promise<string> => {
    const fields = new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: grant.clientId,
      client_secret: grant.clientSecret.reveal(),
      refresh_token: refreshToken,
      ...(grant.scope === undefined ? {} : { scope: grant.scope }),
    });
    const response = await http.send({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: fields.toString(),
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await response.text(sizeLimit);
    if (response.status !== 200) throw refused(response.status, text);
    const checked = answer.safeParse(parsed(text));
    if (!checked.success)
      throw fault('mail-login-refused', `the token server ${url.host} answered without an access token`, {
        advice: 'check mail.oauth2.token_url',
      });
    const { access_token: token, expires_in: seconds, refresh_token: next } = checked.data;
    secrets.register(token);
    if (next !== undefined) {
      // RFC 6749 6: a new refresh token replaces the old one.
      secrets.register(next);
      refreshToken = next;
    }
    known = { token, until: clock.now() + (seconds === undefined ? defaultLife : seconds * 1000) - margin };
    return token;
  };

  const asFault = (error: unknown, signal?: AbortSignal): unknown => {
    if (isFault(error)) return error;
    if (signal?.aborted === true)
      return fault('aborted', `the token server ${url.host} did not answer in time`, { cause: error });
    if (isNetworkProblem(error))
      return fault('mail-unreachable', `cannot get an access token: ${secrets.redact(messageOf(error))}`, {
        advice: 'check mail.oauth2.token_url, DNS, the proxy settings and the firewall',
        cause: error,
      });
    return error;
  };

  return {
    token: async (renew, signal) => {
      if (!renew && known !== undefined && known.until > clock.now()) return known.token;
      try {
        asking ??= ask(signal).finally(() => (asking = undefined));
        return await asking;
      } catch (error) {
        throw asFault(error, signal);
      }
    },
    forget: () => {
      known = undefined;
    },
  };
};
