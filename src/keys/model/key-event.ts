import { z } from 'zod';
import { money, unixMillis, unixSeconds } from '../../core/index.ts';
import { rotationTerms } from './terms.ts';

const moment = z.int().transform((value) => unixMillis(value));
const seconds = z.int().transform((value) => unixSeconds(value));
const decimal = z.string().transform((text) => money(text));
const generation = z.int().min(1);
const keyId = z.int();
const fingerprint = z.string().regex(/^[0-9a-f]{64}$/);

const keyOf = { keyId, generation, name: z.string() };

const expiry = z.union([z.literal('never'), seconds]);

const spec = z.object({
  remainQuota: decimal,
  unlimitedQuota: z.boolean(),
  expiredTime: expiry,
  group: z.string(),
});

/** The use of a key, in seconds UTC. */
const use = z.object({
  calls: z.int(),
  lastCall: seconds.optional(),
  spend: decimal.optional(),
  models: z.array(z.object({ model: z.string(), calls: z.int() })),
});

/** The old key with which the successor's quota is settled, and its remaining quota (as served). */
const settles = z.object({ keyId, left: decimal });

/**
 * Why an old key is to be deleted: it was reported as leaked, or its delivery never reached every sink. `unclear`: it was valid beside the key that a
 * person chose before any cutover was recorded, and ends only on evidence.
 */
const doubtful = z.enum(['leaked', 'unfinished', 'unclear']);

/** Why an old key is retained although its rotation would end it. */
export const retainedReasons = [
  'used',
  'successor-unused',
  'successor-dead',
  'log-incomplete',
  'name-shared',
  'clock-skew',
  'place-undeclared',
  'sink-holds-it',
] as const;

/** Why an orphan is retained: its disuse is not proven. */
const retainReasons = [
  'ambiguous',
  'not-ours',
  'sinks-undeclared',
  'sink-holds-it',
  'sink-unreadable',
  'sink-unknown',
  'sink-failed',
  'used',
  'log-incomplete',
] as const;

/** The fields of each event, by the step of a rotation. A step that may run twice has a pair of events, before and after it. */
const shapes = {
  /** A key that existed before, or that somebody else created, becomes a generation of the service. */
  adopted: { ...keyOf, born: moment },
  /** The key was deleted externally. */
  vanished: { ...keyOf },
  planned: {
    why: z.enum(['age', 'split', 'hand', 'leak', 'new']),
    terms: rotationTerms,
    /** The key to replace; undefined for a service without a key. */
    old: z.object({ ...keyOf, remainQuota: decimal, unlimitedQuota: z.boolean() }).optional(),
    fresh: spec.optional(),
    /** The highest listed generation when the first rotation of the service was planned: others created those keys. */
    listed: z.int().min(0).optional(),
  },
  /** Recorded before the request. No listed key and no other attempt ever has this name. */
  creating: { generation, name: z.string(), spec },
  created: { ...keyOf, fingerprint },
  /**
   * No reliable answer arrived: only lists show, now or later, whether the key exists. `refused`: the gateway rejected the request, so it does not.
   */
  'create-lost': {
    generation,
    name: z.string(),
    code: z.string(),
    message: z.string(),
    refused: z.boolean().optional(),
  },
  /** What a sink holds before the first delivery: a key of somebody else; `keyId` if exactly one mask matches. */
  observed: { place: z.string(), fingerprint, keyId: keyId.optional() },
  /** A sink holds a key that the gateway no longer accepts; `sink-well` records that it no longer does. */
  'sink-dead': {
    place: z.string(),
    keyId,
    name: z.string(),
    state: z.enum(['deleted', 'expired', 'disabled']),
  },
  'sink-well': { place: z.string() },
  /** An orphan that is not deleted and has left the lineage; `keyId` if it is certainly the requested key. */
  retained: {
    keyId: keyId.optional(),
    generation,
    name: z.string(),
    reason: z.enum(retainReasons),
    words: z.string(),
  },
  /** The gateway or a sink has what this journal does not know: the journal is older, or another program writes there. */
  outdated: { differences: z.array(z.string()) },
  /** The journal agrees with the gateway and the sinks again. */
  reconciled: {},
  verifying: { ...keyOf },
  /** `fingerprint`: of the form that calls accept, if it differs from the returned one. */
  verified: { ...keyOf, evidence: z.string(), fingerprint: fingerprint.optional() },
  /** From this event on, a sink may hold the key. */
  delivering: { ...keyOf, place: z.string() },
  /** `proof`: the answer of the sink itself. */
  delivered: { ...keyOf, place: z.string(), proof: fingerprint.optional() },
  /** Stated by a person who sees the key at the place. */
  confirmed: { ...keyOf, place: z.string(), proof: fingerprint },
  /** A sink was read and does not prove that it holds the key, so the key is delivered there again. */
  doubted: { ...keyOf, place: z.string() },
  'read-back': { ...keyOf, places: z.array(z.string()) },
  /** The cutover: every sink holds the key. `olds`: the other keys of the service, with what a limited one had left (as served). */
  current: {
    ...keyOf,
    /** `doubtful`: it leaked, or not every sink ever held it, as after a rotation that was given up. */
    olds: z.array(z.object({ ...keyOf, remain: decimal.optional(), doubtful: doubtful.optional() })),
    /** The gateway's time at the cutover, and the time from which its clock is known to run undisturbed. */
    gateway: z.object({ at: moment, since: moment }).optional(),
  },
  /** The consumer was notified to load the key. */
  reloaded: { ...keyOf },
  /** Its plaintext is lost and a sink may hold it: it is retired like an old key. */
  superseded: { ...keyOf },
  /** Recorded before the expiry is set; `before`: the previous expiry. */
  expiring: { ...keyOf, expiredTime: seconds, before: expiry.optional() },
  'expiry-set': { ...keyOf, expiredTime: seconds, measured: z.string() },
  /** An old key may be in use after all: the expiry from before the rotation is restored. */
  'expiry-restored': { ...keyOf, expiredTime: expiry },
  retiring: { ...keyOf },
  held: { ...keyOf, reason: z.enum(retainedReasons), words: z.string(), use: use.optional() },
  /** No undeclared place may hold the old key any more, and no sink holds another key than the successor. */
  'hold-ended': { ...keyOf },
  /** A person states that these places hold no key of the service. */
  'places-forgotten': { places: z.array(z.string()) },
  escalated: { ...keyOf, reason: z.enum(retainedReasons), words: z.string(), use: use.optional() },
  /** The evidence that the key may end: the interval (milliseconds UTC) in which the complete log shows no call by it. */
  quiet: {
    ...keyOf,
    from: moment,
    to: moment,
    evidence: z.string(),
    /** The names that the key had since the cutover; the log was searched for each. */
    names: z.array(z.string()).optional(),
    /** What a limited key had left then, as served. */
    remain: decimal.optional(),
  },
  'quota-adjusting': { ...keyOf, before: decimal, wanted: decimal, settles: settles.optional() },
  'quota-adjusted': { ...keyOf, remain: decimal, measured: z.string(), settles: settles.optional() },
  /** `unread`: places that may hold it and that no declared sink reads; only for a compromised key. */
  deleting: {
    ...keyOf,
    why: z.enum(['orphan', 'retired', 'leaked', 'expired', 'probe']),
    unread: z.array(z.string()).optional(),
  },
  deleted: { ...keyOf },
  /** The key ended by expiry instead of deletion. */
  retired: { ...keyOf },
  /** A warning to the owner of the key, and its stage. */
  warned: { ...keyOf, stage: z.string() },
  failed: { step: z.string(), code: z.string(), message: z.string(), tries: z.int() },
  /** Paused after the last attempt until a person resumes the rotation or gives it up. */
  waiting: { step: z.string(), message: z.string() },
  resumed: {},
  'given-up': {},
  done: {},
} as const;

const common = {
  at: moment,
  /** `job rotate-prod`, or the person at the command line. */
  who: z.string(),
  account: z.string(),
  service: z.string(),
  /** The id of the rotation, expiry or other operation that the step belongs to. */
  rotation: z.string(),
};

type Shapes = typeof shapes;
export type KeyEventKind = keyof Shapes;

type Common = { [Field in keyof typeof common]: z.output<(typeof common)[Field]> };
export type KeyEventOf<What extends KeyEventKind> = Readonly<
  // A Zod object without own fields would forbid the common ones.
  Common & { what: What } & (keyof Shapes[What] extends never ? unknown : z.output<z.ZodObject<Shapes[What]>>)
>;
/** One step on a key, as recorded before or after it takes effect. Times in milliseconds UTC unless stated otherwise. */
export type KeyEvent = { [What in KeyEventKind]: KeyEventOf<What> }[KeyEventKind];

export type RetainReason = (typeof retainReasons)[number];
export type KeyUse = Readonly<z.output<typeof use>>;
export type KeyFields = Readonly<z.output<typeof spec>>;

const isKind = (what: string): what is KeyEventKind => Object.hasOwn(shapes, what);

/** Parses a recorded event. @throws ZodError, RangeError */
export const parseKeyEvent = (value: unknown): KeyEvent => {
  const { what } = z.looseObject({ what: z.string() }).parse(value);
  if (!isKind(what)) throw new RangeError(`unknown key event ${what}`);
  return z.object({ ...common, what: z.literal(what), ...shapes[what] }).parse(value) as KeyEvent;
};
