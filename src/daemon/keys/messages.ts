import { countText, formatMoment, formatSlot } from '../../core/index.ts';
import type { KeyEvent, KeyEventKind, KeyEventOf, KeyUse } from '../../keys/index.ts';

const shortHash = (hash: string): string => `SHA-256 ${hash.slice(0, 12)}…`;

/** `12 calls, last 2026-11-21 08:00 UTC, gpt-4o 12, 0.5 USD spent`. */
export const describeUse = (
  { calls, lastCall, spend, models }: KeyUse,
  zone: string,
  currency?: string,
): string =>
  [
    countText(calls, 'call'),
    ...(lastCall === undefined ? [] : [`last ${formatMoment(lastCall, zone)}`]),
    ...models.slice(0, 3).map((one) => `${one.model} ${one.calls.toLocaleString('en-US')}`),
    ...(models.length > 3 ? [countText(models.length - 3, 'more model')] : []),
    ...(spend === undefined ? [] : [`${spend}${currency === undefined ? '' : ` ${currency}`} spent`]),
  ].join(', ');

const whyPlanned = {
  age: 'it has reached the age set by its job',
  split: 'the sinks of its service may hold different keys',
  hand: 'it was requested manually',
  leak: 'it is compromised',
  new: 'the service has no key yet',
} as const;

const whyDeleted = {
  orphan: 'no sink can hold it',
  retired: 'it is no longer used',
  leaked: 'it is compromised',
  expired: 'it has expired',
  probe: 'it was a probe key',
} as const;

type Messages = { readonly [What in KeyEventKind]: (event: KeyEventOf<What>, zone: string) => string };

const held = (
  { name, words: why, use }: { name: string; words: string; use?: KeyUse | undefined },
  zone: string,
): string => `${name} is retained: ${why}${use === undefined ? '' : ` (${describeUse(use, zone)})`}`;

const descriptions: Messages = {
  adopted: ({ name, generation }) => `${name} is adopted as generation ${generation}`,
  vanished: ({ name }) => `${name} was deleted externally`,
  planned: ({ why, old, terms }) =>
    `${old === undefined ? 'a first key' : `a successor for ${old.name}`}, since ${whyPlanned[why]} (terms of ${terms.job})`,
  creating: ({ name }) => `${name} is requested`,
  created: ({ name, keyId, fingerprint }) => `${name} is created, id ${keyId}, ${shortHash(fingerprint)}`,
  'create-lost': ({ name, message }) => `no conclusive answer to the request for ${name}: ${message}`,
  observed: ({ place, fingerprint }) => `${place} holds a foreign key, ${shortHash(fingerprint)}`,
  'sink-dead': ({ place, name, state }) => `${place} holds ${name}, which is ${state}`,
  'sink-well': ({ place }) => `${place} no longer holds a key that does not work`,
  retained: ({ name, words: why }) => `${name} is not deleted: ${why}`,
  outdated: ({ differences }) =>
    `the journal is older than the keys or the sinks of the service, and its key operations are suspended: ${differences.join('; ')}`,
  reconciled: () => 'the journal matches the gateway and the sinks again',
  verifying: ({ name }) => `${name} is being verified`,
  verified: ({ name, evidence }) => `${name} works: ${evidence}`,
  delivering: ({ name, place }) => `${name} is being delivered to ${place}`,
  delivered: ({ name, place, proof }) =>
    `${place} received ${name}${proof === undefined ? '' : `, and returned ${shortHash(proof)}`}`,
  confirmed: ({ name, place }) => `the receipt of ${name} at ${place} is confirmed`,
  doubted: ({ name, place }) =>
    `${place} did not prove that it holds ${name}; the key is delivered there again`,
  'read-back': ({ name, places }) => `${name} was read back from ${countText(places.length, 'sink')}`,
  current: ({ name, olds }) =>
    `${name} is the current key of the service${olds.length === 0 ? '' : `, replacing ${olds.map((old) => old.name).join(', ')}`}`,
  reloaded: ({ name }) => `the consumer was notified to load ${name}`,
  superseded: ({ name }) =>
    `${name} is retired like an old key: its plaintext is lost, and a sink may hold it`,
  expiring: ({ name, expiredTime }, zone) =>
    `${name} is being set to expire ${formatMoment(expiredTime, zone)}`,
  'expiry-restored': ({ name, expiredTime }, zone) =>
    `the expiry of ${name} is put back: ${expiredTime === 'never' ? 'it does not expire' : formatMoment(expiredTime, zone)}`,
  'hold-ended': ({ name }) => `no place that may hold ${name} is left unread`,
  'places-forgotten': ({ places }) =>
    `${places.join(' and ')} ${places.length === 1 ? 'is' : 'are'} taken to hold no key of the service, as a person confirmed`,
  'expiry-set': ({ name, expiredTime, measured }, zone) =>
    `${name} expires ${formatMoment(expiredTime, zone)}${measured === '' ? '' : `; ${measured}`}`,
  retiring: ({ name }) => `${name} is being retired`,
  held,
  escalated: held,
  quiet: ({ name, from, to, evidence }, zone) =>
    `no call by ${name} from ${formatSlot(from, zone)} to ${formatSlot(to, zone)}: ${evidence}`,
  'quota-adjusting': ({ name, before, wanted }) =>
    `the quota of ${name} is changed from ${before} to ${wanted}`,
  'quota-adjusted': ({ name, remain, measured }) =>
    `${name} has ${remain} left${measured === '' ? '' : `; ${measured}`}`,
  deleting: ({ name, why, unread }) =>
    `${name} is being deleted: ${whyDeleted[why]}${unread === undefined ? '' : `; not read, since no job declares it: ${unread.join(' and ')}`}`,
  deleted: ({ name }) => `${name} is deleted and no longer listed`,
  retired: ({ name }) => `${name} has expired and remains listed`,
  warned: ({ name, stage }) => `the owner of ${name} was notified: ${stage}`,
  failed: ({ step, message, tries }) => `${step} failed (attempt ${tries}): ${message}`,
  waiting: ({ step, message }) => `paused before ${step}, action required: ${message}`,
  resumed: () => 'an operator resumed the rotation',
  'given-up': () => 'the rotation was given up',
  done: () => 'the rotation is complete',
};

const good: ReadonlySet<KeyEventKind> = new Set(['verified', 'read-back', 'current', 'done']);
const bad: ReadonlySet<KeyEventKind> = new Set([
  'vanished',
  'create-lost',
  'superseded',
  'retained',
  'sink-dead',
  'outdated',
  'escalated',
  'failed',
  'waiting',
  'given-up',
]);

export const describeStep = (
  event: KeyEvent,
  zone: string,
): { readonly message: string; readonly tone: 'good' | 'bad' | 'plain' } => {
  const { what } = event;
  // The description and the event have the same kind, which the types cannot express.
  const describe = descriptions[what] as (event: KeyEvent, zone: string) => string;
  return {
    message: describe(event, zone),
    tone: good.has(what) ? 'good' : bad.has(what) ? 'bad' : 'plain',
  };
};
