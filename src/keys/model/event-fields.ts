import { z } from 'zod';
import { money, unixMillis, unixSeconds, type UnixSeconds } from '../../core/index.ts';

/** Milliseconds UTC. */
export const moment = z.int().transform((value) => unixMillis(value));
/** Seconds UTC. */
export const seconds = z.int().transform((value) => unixSeconds(value));
export const decimal = z.string().transform((text) => money(text));
export const generation = z.int().min(1);
export const keyId = z.int();
export const fingerprint = z.string().regex(/^[0-9a-f]{64}$/);

export const ofKey = { keyId, generation, name: z.string() };

export const expiry = z.union([z.literal('never'), seconds]);

export const spec = z.object({
  remainQuota: decimal,
  unlimitedQuota: z.boolean(),
  expiredTime: expiry,
  group: z.string(),
});
export type KeyFields = Readonly<z.output<typeof spec>>;

/** The use of a key, in seconds UTC. */
export const use = z.object({
  calls: z.int(),
  lastCall: seconds.optional(),
  spend: decimal.optional(),
  models: z.array(z.object({ model: z.string(), calls: z.int() })),
});
export type KeyUse = Readonly<z.output<typeof use>>;

/** The use of an old key in the last notification to its owner. Times are in seconds UTC; `hours` has the start of each hour with calls. */
export type NotedUse = {
  readonly from: UnixSeconds;
  readonly to: UnixSeconds;
  readonly use: KeyUse;
  readonly hours: readonly UnixSeconds[];
};

/** The old key with which the successor's quota is settled, and its remaining quota (as served). */
export const settles = z.object({ keyId, left: decimal });
export type QuotaSettled = Readonly<z.output<typeof settles>>;

/**
 * Why an old key is to be deleted: it was reported as leaked, or its delivery never reached every sink. `unclear`: it was valid beside the key that a
 * person chose before any cutover was recorded, and ends only on evidence.
 */
export const doubtful = z.enum(['leaked', 'unfinished', 'unclear']);

/** Why an old key is retained although its rotation would end it. */
export const retainedReason = z.enum([
  'used',
  'successor-unused',
  'successor-dead',
  'log-incomplete',
  'name-shared',
  'clock-skew',
  'place-undeclared',
  'sink-holds-it',
]);
export type RetainedReason = z.output<typeof retainedReason>;

/** Why the clocks do not prove that a key is unused. Milliseconds. */
export const clockProblem = z.discriminatedUnion('kind', [
  /** The Date header contradicts the creation times of keys; 0 if it no longer does. */
  z.object({ kind: z.literal('contradicted'), by: z.number() }),
  /** The log stamps our first call with a key that long before the creation of the key. */
  z.object({ kind: z.literal('log-behind'), by: z.number() }),
  /** Of the gateway against this host. */
  z.object({ kind: z.literal('skew'), offset: z.number(), measuredAt: moment }),
]);
export type ClockProblem = Readonly<z.output<typeof clockProblem>>;

const names = z.array(z.string()).readonly();

/** Why an old key is retained although its rotation would end it. */
export const holdFacts = z.discriminatedUnion('reason', [
  /** `names`: those of its names that were called, if others than its own were; `quota`: how it fell, if only that shows the use. */
  z.object({
    reason: z.literal('used'),
    use,
    names,
    quota: z.object({ from: decimal, to: decimal }).optional(),
  }),
  z.object({ reason: z.literal('successor-unused'), successor: z.string() }),
  z.object({
    reason: z.literal('successor-dead'),
    successor: z.string(),
    state: z.enum(['disabled', 'expired', 'exhausted']),
  }),
  /** `lag`: milliseconds by which the log may lag. */
  z.object({ reason: z.literal('log-incomplete'), why: z.string(), lag: z.number() }),
  /** Other keys had a name of either key, or both had the same `name`. */
  z.object({
    reason: z.literal('name-shared'),
    successor: z.string(),
    ids: z.array(z.int()).readonly(),
    shared: z.string().optional(),
  }),
  z.object({ reason: z.literal('clock-skew'), problem: clockProblem }),
  z.object({ reason: z.literal('place-undeclared'), places: names }),
  /** `found`: what each sink has instead of the successor. */
  z.object({
    reason: z.literal('sink-holds-it'),
    successor: z.string(),
    places: names,
    found: z.array(z.object({ sink: z.string(), other: z.enum(['another', 'empty']) })).readonly(),
  }),
]);
export type HoldFacts = Readonly<z.output<typeof holdFacts>>;

/** Why an orphan is retained: its disuse is not proven. */
export const retainReason = z.enum([
  'ambiguous',
  'not-ours',
  'sinks-undeclared',
  'sink-holds-it',
  'sink-unreadable',
  'sink-unknown',
  'sink-failed',
  'used',
  'log-incomplete',
]);
export type RetainReason = z.output<typeof retainReason>;

/** What shows that an orphan may be in use. */
export const retainFacts = z.object({
  sink: z.string().optional(),
  why: z.string().optional(),
  calls: z.int().optional(),
  ids: z.array(z.int()).readonly().optional(),
  until: seconds.optional(),
});
export type RetainFacts = Readonly<z.output<typeof retainFacts>>;
