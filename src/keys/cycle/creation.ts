import { isFault, messageOf, type FaultCode, type Secret } from '../../core/index.ts';
import { fingerprintOf } from '../sinks/fingerprint.ts';
import type { NewEvent } from './cycle.ts';

/** Answers that prove that the gateway created no key (docs/gateway.md G3.2). */
const refusals: ReadonlySet<string> = new Set<FaultCode>([
  'gateway-key-refused',
  'gateway-scope-missing',
  'gateway-not-found',
  'gateway-rate-limited',
]);

export type CreatedKey = { readonly id: number; readonly key: Secret };

type Asked = { readonly generation: number; readonly name: string };

/** The event after a failed creation request. The key may exist nevertheless, unless the gateway refused. */
export const createLost = ({ generation, name }: Asked, error: unknown): NewEvent => {
  const code = isFault(error) ? error.code : 'aborted';
  const refused = refusals.has(code) ? { refused: true } : {};
  return { what: 'create-lost', generation, name, code, message: messageOf(error), ...refused };
};

export const created = ({ generation, name }: Asked, { id, key }: CreatedKey): NewEvent => ({
  what: 'created',
  keyId: id,
  generation,
  name,
  fingerprint: fingerprintOf(key.reveal()),
});
