import {
  interval,
  mergeRanges,
  messageOf,
  toMillis,
  unixMillis,
  unixSeconds,
  type Interval,
  type UnixSeconds,
} from '../../core/index.ts';
import { creationTime } from '../plan/key-state.ts';
import type { KeyRequest } from '../model/key-state.ts';
import type { Delivery, Sink } from '../model/sink.ts';
import { probeService } from '../update/probe.ts';
import { clockSkew } from '../plan/clock-skew.ts';
import { defaultSettle } from '../cycle/engine-deps.ts';
import { judgeOrphan, type OrphanFacts, type OrphanVerdict, type SinkFact } from './judge-orphan.ts';
import { namesBorne, sumOfUses, usesOf } from './named-uses.ts';
import type { Cycle } from '../cycle/cycle.ts';
import { mismatchOf } from './request-match.ts';

/** The most calls of one verification, which takes up to 90 s (verify.ts). */
const maxOwnCalls = 12;

/** Milliseconds. */
const longestVerification = 180_000;

/** Listed keys that may be the requested one: the one in the answer, else all with its name except live keys of a lineage. */
const candidatesOf = (
  cycle: Cycle,
  { name, keyId: answered }: KeyRequest,
  keyId: number,
): readonly number[] => {
  if (answered !== undefined) return [keyId];
  const { journal, account } = cycle.deps;
  const lineage = journal.state(account).lineage;
  const [retained, leaving] = [journal.state(account).retained, journal.state(account).leaving];
  return [...cycle.keys().values()]
    .filter(
      (key) =>
        key.name === name &&
        (key.id === keyId || !lineage.has(key.id) || retained.has(key.id) || leaving.has(key.id)),
    )
    .map(({ id }) => id);
};

const readSinks = async (
  cycle: Cycle,
  sinks: readonly Sink[],
  delivery: Delivery,
  isAnother: (place: string, fingerprint: string) => boolean,
): Promise<readonly SinkFact[]> => {
  const facts: SinkFact[] = [];
  for (const sink of sinks) {
    try {
      const reading = await sink.fingerprint(delivery, cycle.signal);
      const is = reading.state === 'holds' && isAnother(sink.place, reading.fingerprint);
      facts.push({ sink: sink.describe(), reading, isAnother: is });
    } catch (error) {
      cycle.signal.throwIfAborted();
      facts.push({
        sink: sink.describe(),
        reading: { state: 'failed', why: messageOf(error) },
        isAnother: false,
      });
    }
  }
  return facts;
};

const sinkFacts = async (cycle: Cycle, request: KeyRequest): Promise<readonly SinkFact[] | undefined> => {
  const { account, journal, consumerOf } = cycle.deps;
  const { service, generation, name, job, askedAt } = request;
  if (service === probeService) return [];
  if (job === undefined) return undefined;
  let sinks: readonly Sink[];
  try {
    sinks = consumerOf(job, service)?.sinks ?? [];
  } catch (error) {
    const reading = { state: 'failed', why: messageOf(error) } as const;
    return [{ sink: `the sinks of ${service}`, reading, isAnother: false }];
  }
  if (sinks.length === 0) return undefined;
  const delivery = { account, service, generation, keyName: name };
  return readSinks(cycle, sinks, delivery, (place, fingerprint) => {
    const known = journal.state(account).contents.get(place)?.get(fingerprint);
    return known !== undefined && (known.delivered || known.since <= askedAt);
  });
};

/** The intervals of our own calls with the key, by the gateway's clock, and the largest number of them. */
const ownCalls = async (
  cycle: Cycle,
  { service, rotation }: KeyRequest,
  keyId: number,
): Promise<{ readonly ranges: readonly Interval<UnixSeconds>[]; readonly most: number }> => {
  const { account, journal } = cycle.deps;
  const steps = (await journal.history({ account, service })).filter((event) => event.rotation === rotation);
  const ranges: Interval<UnixSeconds>[] = [];
  let most = 0;
  for (const [index, step] of steps.entries()) {
    if (step.what !== 'verifying' || step.keyId !== keyId) continue;
    most += maxOwnCalls;
    const ended = Math.min(steps[index + 1]?.at ?? Infinity, step.at + longestVerification);
    const start = unixSeconds(Math.floor((step.at - clockSkew) / 1000));
    ranges.push(interval(start, unixSeconds(Math.ceil((ended + clockSkew) / 1000) + 1)));
  }
  return { ranges: mergeRanges(ranges), most };
};

const callsBy = async (
  cycle: Cycle,
  request: KeyRequest,
  keyId: number,
  range: Interval<UnixSeconds>,
): Promise<number> => {
  const names = await namesBorne(cycle, { keyId, name: request.name }, unixMillis(toMillis(range.start)));
  const { calls } = sumOfUses(await usesOf(cycle, names, range));
  if (calls === 0) return 0;
  const { ranges, most } = await ownCalls(cycle, request, keyId);
  let own = 0;
  for (const each of ranges) own += sumOfUses(await usesOf(cycle, names, each)).calls;
  return calls - Math.min(own, most);
};

const collectFacts = async (cycle: Cycle, request: KeyRequest, keyId: number): Promise<OrphanFacts> => {
  const { account, zone, evidence, clock, settle = defaultSettle } = cycle.deps;
  const { name, askedAt, fingerprint } = request;
  const now = clock.now();
  const from = unixSeconds(Math.max(0, Math.floor((askedAt - clockSkew) / 1000)));
  const until = unixSeconds(Math.max(from + 1, Math.floor(now / 1000)));
  const listed = cycle.keys().get(keyId);
  const created = listed && creationTime(listed);
  const candidates = candidatesOf(cycle, request, keyId);
  const mismatch =
    request.keyId !== undefined || listed === undefined ? undefined : mismatchOf(listed, request);
  const sinks = await sinkFacts(cycle, request);
  const lookUntil = unixSeconds(until + clockSkew / 1000);
  const isUnanswered =
    request.isUnanswered === true &&
    request.keyId === undefined &&
    !cycle.deps.journal.state(account).outdated.has(request.service) &&
    (await cycle.deps.journal.compare()).differs === undefined;
  return {
    name,
    now,
    zone,
    askedAt,
    ...(created === undefined ? {} : { createdAt: toMillis(created) }),
    settle,
    fingerprint,
    candidates,
    mismatch,
    ...(isUnanswered ? { isUnanswered } : {}),
    sinks,
    complete: await evidence.logComplete(account, interval(from, until)),
    calls: await callsBy(cycle, request, keyId, interval(from, lookUntil)),
  };
};

/** Whether the key that was, or may have been, created for the attempt with this name may be deleted. */
export const orphanVerdict = async (cycle: Cycle, name: string, keyId: number): Promise<OrphanVerdict> => {
  const { journal, account } = cycle.deps;
  const request = journal.state(account).requests.get(name);
  return request === undefined
    ? {
        verdict: 'retain',
        reason: 'not-ours',
        facts: {},
        passing: false,
      }
    : judgeOrphan(await collectFacts(cycle, request, keyId));
};
