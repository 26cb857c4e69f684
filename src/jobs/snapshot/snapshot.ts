import { z } from 'zod';
import {
  errorFields,
  toSeconds,
  unixSeconds,
  countText,
  rangeText,
  type UnixSeconds,
  isFault,
  type Fault,
  type FaultCode,
} from '../../core/index.ts';
import type { Gateway } from '../../gateway/index.ts';
import type { LandedSnapshot, Snapshot } from '../../warehouse/index.ts';
import { defineJobKind, type JobContext } from '../job-kind.ts';

/** A part of a snapshot: the values, or why the gateway denies them, or why this attempt failed. */
type Part<T> =
  | { readonly state: 'read'; readonly value: T }
  | { readonly state: 'refused' | 'failed'; readonly fault: Fault };

/** Answers to an Admin Key without access. Gateways differ in the answer for a missing scope, and some only refuse. */
const refusals: readonly FaultCode[] = ['gateway-scope-missing', 'gateway-key-refused', 'gateway-refused'];

/** @throws anything that is not a catalogued fault, such as the reason of an aborted signal. */
const readPart = async <T>(read: () => Promise<T>, signal: AbortSignal): Promise<Part<T>> => {
  try {
    return { state: 'read', value: await read() };
  } catch (error) {
    signal.throwIfAborted();
    if (!isFault(error)) throw error;
    return { state: refusals.includes(error.code) ? 'refused' : 'failed', fault: error };
  }
};

const valueOf = <T>(part: Part<T>): T | undefined => (part.state === 'read' ? part.value : undefined);

const shape = z.strictObject({});

/** Seconds before now that the statistics cover. */
const ranges = [3600, 86_400] as const;

type Parts = {
  readonly profile: Part<NonNullable<Snapshot['profile']>>;
  readonly statistics: Part<NonNullable<Snapshot['statistics']>>;
  readonly keys: Part<NonNullable<Snapshot['keys']>>;
};

/** Fields hold JSON texts. Sorted by name, so that another order is no change. */
export const jsonObject = (fields: Readonly<Record<string, string>>): string =>
  `{${Object.entries(fields)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, text]) => `${JSON.stringify(name)}:${text}`)
    .join(',')}}`;

const readStatistics = async (
  gateway: Gateway,
  end: UnixSeconds,
  signal: AbortSignal,
): Promise<NonNullable<Snapshot['statistics']>> => {
  const found = [];
  for (const seconds of ranges) {
    const range = { start: unixSeconds(end - seconds), end };
    const answer = await gateway.statistics(range, { signal });
    found.push({ ...range, ...answer, rest: jsonObject(answer.rest) });
  }
  return found;
};

/** The profile comes last: reading the keys can take minutes, and its figures must be those of the snapshot's time. */
const readParts = async ({ account, clock, progress, signal }: JobContext): Promise<Parts> => {
  const { gateway } = account;
  progress({ step: 'reading the keys' });
  const keys = await readPart(
    async () => (await gateway.listKeys({ signal })).map((key) => ({ ...key, rest: jsonObject(key.rest) })),
    signal,
  );
  progress({ step: 'reading the profile' });
  const statistics = await readPart(
    async () => readStatistics(gateway, toSeconds(clock.now()), signal),
    signal,
  );
  const profile = await readPart(async () => {
    const askedAt = clock.now();
    const answer = await gateway.profile({ signal });
    return { ...answer, askedAt, rest: jsonObject(answer.rest) };
  }, signal);
  return { profile, statistics, keys };
};

const changesOf = ({ keys }: LandedSnapshot): string => {
  if (keys === undefined) return '';
  if (keys.first) return '; the first inventory';
  const found = [
    [keys.new, 'new'],
    [keys.gone, 'gone'],
    [keys.changed, 'changed'],
  ].filter(([many]) => many !== 0);
  return found.length === 0
    ? '; no key has changed'
    : `; ${found.map(([many, what]) => `${many?.toLocaleString('en-US')} ${what}`).join(', ')}`;
};

/** `profile and 214 keys; 3 new, 1 gone, 2 changed`, and the parts that could not be read, with the reason. */
const summaryOf = (parts: Parts, landed: LandedSnapshot): string => {
  const read = [
    parts.profile.state === 'read' ? 'profile' : undefined,
    landed.keys === undefined ? undefined : countText(landed.keys.count, 'key'),
  ].filter((part) => part !== undefined);
  const missing = Object.entries(parts).flatMap(([name, part]) =>
    part.state === 'read' ? [] : [`; ${name} not read: ${part.fault.message}`],
  );
  return `${read.join(' and ') || 'statistics'}${changesOf(landed)}${missing.join('')}`;
};

/**
 * Stores the account's profile, statistics and all keys, masked. Omits, and reports, parts for which the Admin Key has no scope;
 * a part that fails otherwise fails the run, after the rest is stored.
 */
export const snapshotKind = defineJobKind({
  kind: 'snapshot',
  onlyForbid: true,
  description: 'Stores the current profile, statistics and keys of an account.',
  shape,
  run: async (_settings, context) => {
    const { account, clock, warehouse, log, trigger } = context;
    // The gateway shows only the current state, which must not be stored under a past time.
    if (trigger === 'backfill')
      return { summary: 'nothing to do: a snapshot of the past is not possible', figures: {} };
    const parts = await readParts(context);
    const all = [parts.profile, parts.statistics, parts.keys];
    const unread = all.flatMap((part) => (part.state === 'read' ? [] : [part]));
    const failed = unread.find(({ state }) => state === 'failed');
    const [refused] = unread;
    if (unread.length === all.length && refused !== undefined) throw (failed ?? refused).fault;
    for (const { fault } of unread) log.warn('a part of the snapshot could not be read', errorFields(fault));
    const [profile, statistics, keys] = [
      valueOf(parts.profile),
      valueOf(parts.statistics),
      valueOf(parts.keys),
    ];
    const landed = await warehouse.snapshots.land({
      account: account.name,
      takenAt: clock.now(),
      profile,
      statistics,
      keys,
    });
    if (failed !== undefined) throw failed.fault;
    return {
      summary: summaryOf(parts, landed),
      figures: {
        keys: landed.keys?.count,
        new: landed.keys?.new,
        gone: landed.keys?.gone,
        changed: landed.keys?.changed,
      },
    };
  },
  plan: async (_settings, { account, warehouse, clock, zone, trigger }) => {
    if (trigger === 'backfill') return ['nothing: a snapshot of the past is not possible'];
    const known = await warehouse.snapshots.inventoryAt(account.name, clock.now());
    const moment = known === undefined ? undefined : rangeText.moment(toSeconds(known.takenAt), zone);
    return [
      'read the profile, the statistics of the last hour and of the last 24 hours, and every key',
      known === undefined
        ? 'store all of it: there is no inventory yet'
        : `store what has changed since the inventory of ${moment} (${countText(known.keys.length, 'key')})`,
    ];
  },
  watermark: async (_settings, { account, warehouse }) => warehouse.snapshots.watermark(account),
});
