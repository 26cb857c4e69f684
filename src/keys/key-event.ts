import { z } from 'zod';
import { money, unixMillis, unixSeconds } from '../core/index.ts';
import { rotationTerms } from './terms.ts';

const moment = z.int().transform((value) => unixMillis(value));
const seconds = z.int().transform((value) => unixSeconds(value));
const decimal = z.string().transform((text) => money(text));
const generation = z.int().min(1);
const keyId = z.int();
const fingerprint = z.string().regex(/^[0-9a-f]{64}$/);

/** A key with the place it has in its service's line. */
const keyOf = { keyId, generation, name: z.string() };

const expiry = z.union([z.literal('never'), seconds]);

const spec = z.object({
  remainQuota: decimal,
  unlimitedQuota: z.boolean(),
  expiredTime: expiry,
  group: z.string(),
});

/** What somebody's use of a key looked like, in seconds UTC. */
const use = z.object({
  calls: z.int(),
  lastCall: seconds.optional(),
  spend: decimal.optional(),
  models: z.array(z.object({ model: z.string(), calls: z.int() })),
});

/** The old key that the quota of its successor is settled with, and what it has left (as served). */
const settles = z.object({ keyId, left: decimal });

/**
 * Why a key is one to be rid of: it was reported as leaked, or not every sink ever held it. `unclear`: it was valid beside
 * the key that a person chose when no cutover was recorded, and goes only on evidence.
 */
const doubtful = z.enum(['leaked', 'unfinished', 'unclear']);

/** Why an old key stays: it is used, its successor is not or cannot be, what was called is not known, or its name is not its own. */
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

/** Why a key that was made for a rotation and never delivered is retained: it is not proven that nobody can use it. */
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

/** What is shown of each step; the names are the steps of a rotation, those of what may be repeated come in pairs. */
const shapes = {
  /** A key that was there before us, or was made by somebody else, is a generation of the service from now on. */
  adopted: { ...keyOf, born: moment },
  /** It left the line without our doing. */
  vanished: { ...keyOf },
  planned: {
    why: z.enum(['age', 'split', 'hand', 'leak', 'new']),
    terms: rotationTerms,
    /** What is to be replaced; missing for a service that has no key yet. */
    old: z.object({ ...keyOf, remainQuota: decimal, unlimitedQuota: z.boolean() }).optional(),
    /** For a service that has no key yet. */
    fresh: spec.optional(),
    /** The highest generation that was listed when keys of the service were first made: others made those keys. */
    listed: z.int().min(0).optional(),
  },
  /** About to be asked for under a name that no key has, and that no other attempt ever gets. */
  creating: { generation, name: z.string(), spec },
  created: { ...keyOf, fingerprint },
  /**
   * No answer that could be believed came: whether there is such a key, only lists can tell, now and later. `refused`: the
   * gateway let nobody in, so that there is none.
   */
  'create-lost': {
    generation,
    name: z.string(),
    code: z.string(),
    message: z.string(),
    refused: z.boolean().optional(),
  },
  /** What a sink holds before anything is delivered to it: the key of somebody else; `keyId` where one mask fits it. */
  observed: { place: z.string(), fingerprint, keyId: keyId.optional() },
  /** A sink was read to hold a key that the gateway no longer accepts, and later not to hold one. */
  'sink-dead': {
    place: z.string(),
    keyId,
    name: z.string(),
    state: z.enum(['deleted', 'expired', 'disabled']),
  },
  'sink-well': { place: z.string() },
  /** An orphan that is not deleted: `keyId` where one key is known to be the one asked for. It has left the line. */
  retained: {
    keyId: keyId.optional(),
    generation,
    name: z.string(),
    reason: z.enum(retainReasons),
    words: z.string(),
  },
  /** The gateway or a sink has what this journal does not know of: it is older than they are, or another program writes there. */
  outdated: { differences: z.array(z.string()) },
  /** The journal agrees with the gateway and the sinks again. */
  reconciled: {},
  verifying: { ...keyOf },
  /** `fingerprint` is of the form that calls take, where that is not the one that came. */
  verified: { ...keyOf, evidence: z.string(), fingerprint: fingerprint.optional() },
  /** From here on a sink may hold it. */
  delivering: { ...keyOf, place: z.string() },
  /** `proof` is what the sink itself answered. */
  delivered: { ...keyOf, place: z.string(), proof: fingerprint.optional() },
  /** Said by a person who has the key before them. */
  confirmed: { ...keyOf, place: z.string(), proof: fingerprint },
  /** A sink was read and does not prove to hold it: it is delivered there again. */
  doubted: { ...keyOf, place: z.string() },
  'read-back': { ...keyOf, places: z.array(z.string()) },
  /** The cutover: every sink holds it. The others of its service are to go, with what a limited one had left (as served). */
  current: {
    ...keyOf,
    /** `doubtful`: it leaked, or not every sink ever held it, as after a delivery that was given up. */
    olds: z.array(z.object({ ...keyOf, remain: decimal.optional(), doubtful: doubtful.optional() })),
    /** The gateway's time then, and since when its clock was known not to have been set. */
    gateway: z.object({ at: moment, since: moment }).optional(),
  },
  /** The consumer was told to take it up. */
  reloaded: { ...keyOf },
  /** Its plaintext is gone and a sink may hold it: it is retired like an old key. */
  superseded: { ...keyOf },
  /** The expiry of a key is about to be set, and was; `before` is what it had then. */
  expiring: { ...keyOf, expiredTime: seconds, before: expiry.optional() },
  'expiry-set': { ...keyOf, expiredTime: seconds, measured: z.string() },
  /** An old key may be in use after all: its end is what it was before the rotation set one. */
  'expiry-restored': { ...keyOf, expiredTime: expiry },
  retiring: { ...keyOf },
  /** Why the old key stays for now. */
  held: { ...keyOf, reason: z.enum(retainedReasons), words: z.string(), use: use.optional() },
  /** No place that may hold the old key is left undeclared, and no sink holds another key than the successor. */
  'hold-ended': { ...keyOf },
  /** A person says that these places hold no key of the service. */
  'places-forgotten': { places: z.array(z.string()) },
  escalated: { ...keyOf, reason: z.enum(retainedReasons), words: z.string(), use: use.optional() },
  /** The evidence that it may go: the time range (milliseconds UTC) in which the complete log shows no call by it. */
  quiet: {
    ...keyOf,
    from: moment,
    to: moment,
    evidence: z.string(),
    /** The names that the key had since the cutover; its calls were looked for under each. */
    names: z.array(z.string()).optional(),
    /** What a limited key had left then, as served. */
    remain: decimal.optional(),
  },
  'quota-adjusting': { ...keyOf, before: decimal, wanted: decimal, settles: settles.optional() },
  'quota-adjusted': { ...keyOf, remain: decimal, measured: z.string(), settles: settles.optional() },
  /** `unread`: places that may hold it and that no sink of the configuration reads; only for a leaked key. */
  deleting: {
    ...keyOf,
    why: z.enum(['orphan', 'retired', 'leaked', 'expired', 'probe']),
    unread: z.array(z.string()).optional(),
  },
  deleted: { ...keyOf },
  /** It has ended without being deleted: it is expired. */
  retired: { ...keyOf },
  /** A warning to whoever owns the key; of which stage. */
  warned: { ...keyOf, stage: z.string() },
  /** A step did not work; the old key is as it was. */
  failed: { step: z.string(), code: z.string(), message: z.string(), tries: z.int() },
  /** Too many tries: nothing is done until a person says so. */
  waiting: { step: z.string(), message: z.string() },
  /** A person lets it go on, or gives it up. */
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
  /** Names the rotation, or the expiry, that it belongs to. */
  rotation: z.string(),
};

type Shapes = typeof shapes;
export type KeyEventKind = keyof Shapes;

type Common = { [Field in keyof typeof common]: z.output<(typeof common)[Field]> };
export type KeyEventOf<What extends KeyEventKind> = Readonly<
  // An object without fields of its own would forbid the common ones.
  Common & { what: What } & (keyof Shapes[What] extends never ? unknown : z.output<z.ZodObject<Shapes[What]>>)
>;
/** One step on a key, as it is written down before or after it is taken. Times in milliseconds UTC unless said otherwise. */
export type KeyEvent = { [What in KeyEventKind]: KeyEventOf<What> }[KeyEventKind];

export type RetainReason = (typeof retainReasons)[number];
export type KeyUse = Readonly<z.output<typeof use>>;
export type KeyFields = Readonly<z.output<typeof spec>>;

const isKind = (what: string): what is KeyEventKind => Object.hasOwn(shapes, what);

/** Reads an event as it was written down. @throws ZodError, RangeError */
export const parseKeyEvent = (value: unknown): KeyEvent => {
  const { what } = z.looseObject({ what: z.string() }).parse(value);
  if (!isKind(what)) throw new RangeError(`unknown key event ${what}`);
  return z.object({ ...common, what: z.literal(what), ...shapes[what] }).parse(value) as KeyEvent;
};
