import {
  isLoopback,
  createSecretRegistry,
  fault,
  toSeconds,
  type Clock,
  type Secret,
} from '../../../core/index.ts';
import { signatureOf, type Http } from '../../../http/index.ts';
import type { OutboxRoute, Rate } from '../../route.ts';
import { answerOutcome, problemOutcome } from './webhook-faults.ts';

export type WebhookOptions = {
  readonly name: string;
  readonly url: Secret;
  /** Signs each request; chats do not check signatures. */
  readonly secret?: Secret | undefined;
  readonly rate?: Rate | undefined;
  /** Further secrets, which no error quotes. */
  readonly secrets?: readonly Secret[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: JSON. */
  readonly contentType?: string;
  readonly http: Http;
  readonly clock: Clock;
};

/** Milliseconds. A receiver may work for half a minute before it answers. */
const timeouts = { headers: 30_000, idle: 15_000, total: 45_000 };

const secretPartsOf = (url: URL): readonly string[] =>
  [url.href, url.pathname + url.search, url.pathname, ...url.pathname.split('/'), url.search.slice(1)].filter(
    (part) => part.length >= 8,
  );

/** Posts stored messages to this URL only: https, or http on loopback. @throws Fault `config-invalid` */
export const createWebhookRoute = (options: WebhookOptions): OutboxRoute => {
  const { name, http, clock, secret, contentType = 'application/json; charset=utf-8' } = options;
  const url = new URL(options.url.reveal());
  if (url.protocol !== 'https:' && !isLoopback(url.hostname))
    throw fault('config-invalid', `the url of the route ${name} is not https`);
  const secrets = createSecretRegistry();
  // The URL is a credential, and so is any part of it that an error message may quote.
  for (const part of secretPartsOf(url)) secrets.register(part);
  for (const one of [secret, ...(options.secrets ?? [])])
    if (one !== undefined) secrets.register(one.reveal());
  const faultContext = { where: `the route ${name} (${url.host})`, redact: secrets.redact };
  return {
    name,
    rate: options.rate,
    begin: () => {
      const leaving = new AbortController();
      return {
        close: () => leaving.abort(),
        send: async (row, bytes, signal) => {
          if (signal?.aborted === true) {
            const message = `the message to ${name} was stopped before it was transmitted`;
            return { state: 'deferred', fault: fault('aborted', message) };
          }
          const seconds = toSeconds(clock.now());
          try {
            const answer = await http.send({
              method: 'POST',
              url,
              headers: {
                'content-type': contentType,
                ...options.headers,
                'idempotency-key': row.messageId,
                ...(secret === undefined
                  ? {}
                  : { 'x-tollkeeper-signature': signatureOf(bytes, secret.reveal(), seconds) }),
              },
              body: bytes.toString('utf8'),
              // Not the worker's signal: an aborted request may have been transmitted.
              signal: leaving.signal,
              timeouts,
            });
            return await answerOutcome(answer, faultContext, clock.now());
          } catch (error) {
            return problemOutcome(error, faultContext);
          }
        },
      };
    },
  };
};
