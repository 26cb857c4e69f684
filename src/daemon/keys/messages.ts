import { formatMoment, formatSlot } from '../../core/index.ts';
import type { KeyEvent, KeyEventKind, KeyEventOf, KeyUse } from '../../keys/index.ts';

/** As much of a SHA-256 as a person compares. */
const shortHash = (hash: string): string => `SHA-256 ${hash.slice(0, 12)}…`;

const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;

/** What somebody's use of a key looked like: `12 calls, last 2026-11-21 08:00 UTC, gpt-4o 12, 0.5 USD spent`. */
export const describeUse = (
  { calls, lastCall, spend, models }: KeyUse,
  zone: string,
  currency?: string,
): string =>
  [
    counted(calls, 'call'),
    ...(lastCall === undefined ? [] : [`last ${formatMoment(lastCall, zone)}`]),
    ...models.slice(0, 3).map((one) => `${one.model} ${one.calls.toLocaleString('en-US')}`),
    ...(models.length > 3 ? [counted(models.length - 3, 'more model')] : []),
    ...(spend === undefined ? [] : [`${spend}${currency === undefined ? '' : ` ${currency}`} spent`]),
  ].join(', ');

const whyPlanned = {
  age: 'it has the age that its job names',
  split: 'the sinks of its service may hold different keys',
  hand: 'ordered by hand',
  leak: 'it leaked',
  new: 'the service has no key yet',
} as const;

const whyDeleted = {
  orphan: 'no sink can hold it',
  retired: 'nobody uses it any more',
  leaked: 'it leaked',
  expired: 'it is over',
  probe: 'it was a probe',
} as const;

type Messages = { readonly [What in KeyEventKind]: (event: KeyEventOf<What>, zone: string) => string };

const held = (
  { name, words: why, use }: { name: string; words: string; use?: KeyUse | undefined },
  zone: string,
): string => `${name} stays: ${why}${use === undefined ? '' : ` (${describeUse(use, zone)})`}`;

const words: Messages = {
  adopted: ({ name, generation }) => `${name} is generation ${generation} from now on`,
  vanished: ({ name }) => `${name} is gone, and not by us`,
  planned: ({ why, old, terms }) =>
    `${old === undefined ? 'a first key' : `a successor for ${old.name}`}, since ${whyPlanned[why]} (terms of ${terms.job})`,
  creating: ({ name }) => `${name} is asked for`,
  created: ({ name, keyId, fingerprint }) => `${name} is there, id ${keyId}, ${shortHash(fingerprint)}`,
  'create-lost': ({ name, message }) => `no answer for ${name} that could be believed: ${message}`,
  observed: ({ place, fingerprint }) => `${place} holds a key of somebody else, ${shortHash(fingerprint)}`,
  retained: ({ name, words: why }) => `${name} is not deleted: ${why}`,
  outdated: ({ differences }) =>
    `the journal is older than the keys or the sinks of the service, and no key of it is written: ${differences.join('; ')}`,
  reconciled: () => 'the journal agrees with the gateway and the sinks again',
  verifying: ({ name }) => `a call is made with ${name}`,
  verified: ({ name, evidence }) => `${name} works: ${evidence}`,
  delivering: ({ name, place }) => `${name} goes to ${place}`,
  delivered: ({ name, place, proof }) =>
    `${place} took ${name}${proof === undefined ? '' : `, and answered ${shortHash(proof)}`}`,
  confirmed: ({ name, place }) => `a person holds ${name} at ${place}`,
  doubted: ({ name, place }) => `${place} does not prove to hold ${name}; it is delivered there again`,
  'read-back': ({ name, places }) => `${name} was read back from ${counted(places.length, 'place')}`,
  current: ({ name, olds }) =>
    `${name} is the key of the service${olds.length === 0 ? '' : ` in place of ${olds.map((old) => old.name).join(', ')}`}`,
  reloaded: ({ name }) => `the consumer was told to take up ${name}`,
  superseded: ({ name }) =>
    `${name} is retired like an old key: its plaintext is gone, and a sink may hold it`,
  expiring: ({ name, expiredTime }, zone) => `${name} is to expire ${formatMoment(expiredTime, zone)}`,
  'expiry-set': ({ name, expiredTime, measured }, zone) =>
    `${name} expires ${formatMoment(expiredTime, zone)}${measured === '' ? '' : `; ${measured}`}`,
  retiring: ({ name }) => `${name} is to go once nobody uses it`,
  held,
  escalated: held,
  quiet: ({ name, from, to, evidence }, zone) =>
    `no call by ${name} from ${formatSlot(from, zone)} to ${formatSlot(to, zone)}: ${evidence}`,
  'quota-adjusting': ({ name, before, wanted }) => `the quota of ${name} goes from ${before} to ${wanted}`,
  'quota-adjusted': ({ name, remain, measured }) =>
    `${name} has ${remain} left${measured === '' ? '' : `; ${measured}`}`,
  deleting: ({ name, why }) => `${name} is to be deleted: ${whyDeleted[why]}`,
  deleted: ({ name }) => `${name} is gone from the list`,
  retired: ({ name }) => `${name} has expired, and stays in the list`,
  warned: ({ name, stage }) => `whoever owns ${name} was told: ${stage}`,
  failed: ({ step, message, tries }) => `${step} did not work (try ${tries}): ${message}`,
  waiting: ({ step, message }) => `waits for a person before ${step}: ${message}`,
  resumed: () => 'a person lets it go on',
  'given-up': () => 'a person gave it up',
  done: () => 'it is done',
};

const good: ReadonlySet<KeyEventKind> = new Set(['verified', 'read-back', 'current', 'done']);
const bad: ReadonlySet<KeyEventKind> = new Set([
  'vanished',
  'create-lost',
  'superseded',
  'retained',
  'outdated',
  'escalated',
  'failed',
  'waiting',
  'given-up',
]);

/** What a step was, for a person. */
export const describeStep = (
  event: KeyEvent,
  zone: string,
): { readonly words: string; readonly tone: 'good' | 'bad' | 'plain' } => {
  const { what } = event;
  // Each kind has its own words, and an event is of the kind that it names.
  const say = words[what] as (event: KeyEvent, zone: string) => string;
  return {
    words: say(event, zone),
    tone: good.has(what) ? 'good' : bad.has(what) ? 'bad' : 'plain',
  };
};
