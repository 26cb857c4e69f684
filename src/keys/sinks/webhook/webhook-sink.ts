import { z } from 'zod';
import { createSecretRegistry, toSeconds, type Secret, type SecretRegistry } from '../../../core/index.ts';
import { signatureOf } from '../../../http/index.ts';
import type { Delivered, Delivery, Sink } from '../../model/sink.ts';
import { fingerprintIn, fingerprintOf } from '../fingerprint.ts';
import { ask, secureUrl } from '../http-answer.ts';
import { failed } from '../sink-faults.ts';
import type { SinkDeps } from '../sink-deps.ts';
import type { WebhookSpec } from './settings.ts';

const proof = z.looseObject({ sha256: z.string() });

const proofIn = (text: string): string | undefined => {
  try {
    return fingerprintIn(proof.parse(JSON.parse(text)).sha256);
  } catch {
    return undefined;
  }
};

/** Redacts parts of the URL in answers, because whoever knows it can post there; elsewhere these parts are ordinary words. */
const knowingParts = (url: URL, secrets: SecretRegistry): SecretRegistry => {
  const own = createSecretRegistry();
  const path = url.pathname + url.search;
  for (const part of [url.href, path, ...url.pathname.split('/'), url.search.slice(1)])
    if (part.length >= 8) own.register(part);
  return { ...secrets, redact: (text) => own.redact(secrets.redact(text)) };
};

/** Posts the signed key to a program of the operator, which answers with the SHA-256 of the stored key. */
export const createWebhookSink = (spec: WebhookSpec, place: string, deps: SinkDeps): Sink => {
  const url = secureUrl(spec.url.reveal(), 'the url of the webhook');
  const { http, clock } = deps;
  const talk = { http, clock, secrets: knowingParts(url, deps.secrets), who: `the webhook at ${url.host}` };

  const deliver = async (key: Secret, delivery: Delivery, signal: AbortSignal): Promise<Delivered> => {
    const { account, service, generation, keyName } = delivery;
    const sha256 = fingerprintOf(key.reveal());
    const body = JSON.stringify({
      kind: 'api-key',
      account,
      service,
      generation,
      keyName,
      sha256,
      key: key.reveal(),
    });
    const seconds = toSeconds(clock.now());
    const answer = await ask(talk, {
      method: 'POST',
      url,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        // Equal for the same key, so that a receiver recognizes a retry.
        'idempotency-key': `tollkeeper-${sha256.slice(0, 40)}`,
        'x-tollkeeper-signature': signatureOf(Buffer.from(body), spec.secret.reveal(), seconds),
      },
      body,
      signal,
    });
    if (answer.status < 200 || answer.status >= 300) throw answer.fault();
    const fingerprint = proofIn(answer.text);
    if (fingerprint !== undefined) return { fingerprint };
    throw failed(`${talk.who} answered ${answer.status} and did not prove that it has the key`, {
      advice: 'return JSON: {"sha256": "<SHA-256 of the stored key, in hex>"}',
    });
  };

  return {
    place,
    describe: () => talk.who,
    confirmedByPerson: false,
    deliver,
    fingerprint: () =>
      Promise.resolve({ state: 'unreadable', why: `${talk.who} accepts keys and cannot be read back` }),
    problems: () => Promise.resolve([]),
  };
};
