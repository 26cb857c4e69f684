import { toMillis, unixSeconds, type UnixMillis } from '../../core/index.ts';
import type { RetainFacts, RetainReason } from '../model/event-fields.ts';
import { maxLag } from '../model/lag.ts';
import type { LogCompleteness } from '../model/ports.ts';
import type { Fingerprint, SinkReading } from '../model/sink.ts';
import { clockSkew } from '../plan/clock-skew.ts';

export type SinkFact = {
  readonly sink: string;
  readonly reading: SinkReading | { readonly state: 'failed'; readonly why: string };
  /** The journal knows that the content is another key: one that was delivered, or that was there before the request. */
  readonly isAnother: boolean;
};

/** All facts that decide the deletion of an orphan. Times in milliseconds UTC. */
export type OrphanFacts = {
  readonly name: string;
  readonly now: UnixMillis;
  /** IANA time zone of times in messages. */
  readonly zone: string;
  readonly askedAt: UnixMillis;
  /** The creation time of the listed key, if the gateway states it. */
  readonly createdAt?: UnixMillis | undefined;
  /** Milliseconds for which a request without an answer may still reach the gateway. */
  readonly settle: number;
  /** Of its plaintext; undefined if no answer arrived. */
  readonly fingerprint?: Fingerprint | undefined;
  readonly candidates: readonly number[];
  /** Its plaintext never arrived, so no consumer can hold it, and the audit log agrees with the journal. */
  readonly isUnanswered?: boolean;
  readonly mismatch?: string | undefined;
  /** Undefined if no job declares sinks (any more); empty for temporary keys, which have no consumer. */
  readonly sinks?: readonly SinkFact[] | undefined;
  /** Whether the log is complete from the request, less the clock skew, up to now. */
  readonly complete: LogCompleteness;
  /** Calls under every name that the key had since then, without those of its verification. */
  readonly calls: number;
};

export type OrphanVerdict =
  | { readonly verdict: 'delete'; readonly evidence: string }
  /** `passing`: the reason may disappear with time. */
  | {
      readonly verdict: 'retain';
      readonly reason: RetainReason;
      readonly facts: RetainFacts;
      readonly passing: boolean;
    };

const retain = (reason: RetainReason, facts: RetainFacts = {}, passing = false): OrphanVerdict => ({
  verdict: 'retain',
  reason,
  facts,
  passing,
});

const judgeSink = (
  { sink, reading, isAnother }: SinkFact,
  { fingerprint }: OrphanFacts,
): OrphanVerdict | undefined => {
  switch (reading.state) {
    case 'empty':
      return undefined;
    case 'unreadable':
      return retain('sink-unreadable', { sink, why: reading.why });
    case 'failed':
      return retain('sink-failed', { sink, why: reading.why }, true);
    default:
      if (reading.fingerprint === fingerprint) return retain('sink-holds-it', { sink });
      return isAnother ? undefined : retain('sink-unknown', { sink });
  }
};

/** Milliseconds without a call by a key whose answer was lost: a person may have created it just now. */
const lostIdle = 3_600_000;

const judgeLog = (facts: OrphanFacts): OrphanVerdict | undefined => {
  const { now, askedAt, createdAt = askedAt, fingerprint, settle, complete } = facts;
  const quiet = Math.max(settle + clockSkew, fingerprint === undefined ? lostIdle : 0);
  const end = complete.complete
    ? now
    : complete.through === undefined
      ? undefined
      : toMillis(complete.through);
  const needed = Math.max(Math.max(askedAt, createdAt) + quiet, now - maxLag(0));
  if (end !== undefined && end >= needed) return undefined;
  const until = unixSeconds(Math.ceil(needed / 1000));
  return retain('log-incomplete', { until, ...(complete.complete ? {} : { why: complete.why }) }, true);
};

/** Unknown content in a sink that was read overrides any other evidence. */
const isUnknownContent = (found: OrphanVerdict | undefined): boolean =>
  found?.verdict === 'retain' && (found.reason === 'sink-unknown' || found.reason === 'sink-holds-it');

/**
 * Judges whether a key that was created for a rotation and never delivered may be deleted: only if it is certainly the requested key, every declared
 * sink was read back and holds another key or none, and the complete log shows no call by it. A key whose plaintext never arrived needs no readable
 * sink. Pure.
 */
export const judgeOrphan = (facts: OrphanFacts): OrphanVerdict => {
  const { candidates, mismatch, sinks, calls } = facts;
  if (candidates.length > 1) return retain('ambiguous', { ids: candidates });
  if (mismatch !== undefined) return retain('not-ours', { why: mismatch });
  if (calls > 0) return retain('used', { calls });
  if (facts.isUnanswered === true)
    return (
      sinks?.map((sink) => judgeSink(sink, facts)).find((found) => isUnknownContent(found)) ??
      judgeLog(facts) ?? {
        verdict: 'delete',
        evidence: 'its plaintext never arrived, and the complete call log shows no call by it',
      }
    );
  if (sinks === undefined) return retain('sinks-undeclared');
  let passing: OrphanVerdict | undefined;
  for (const sink of sinks) {
    const found = judgeSink(sink, facts);
    if (found?.verdict === 'retain' && !found.passing) return found;
    passing ??= found;
  }
  return (
    passing ??
    judgeLog(facts) ?? {
      verdict: 'delete',
      evidence: `no sink holds it (${sinks.length} read back), and the complete call log shows no call by it`,
    }
  );
};
