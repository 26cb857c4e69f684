import { z } from 'zod';
import { money, unixMillis, unixSeconds } from '../../core/index.ts';

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
