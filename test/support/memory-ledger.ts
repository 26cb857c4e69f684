import { fault, unixMillis, type UnixMillis } from '../../src/core/index.ts';
import type {
  Claim,
  JobCursor,
  JobOutage,
  LedgerAttempt,
  LedgerRun,
  OutboxTable,
  RunKey,
  RunLedger,
} from '../../src/storage/index.ts';
import { createMemoryOutbox } from './memory-outbox.ts';

type Model = {
  runs: Map<string, LedgerRun>;
  attempts: Map<string, LedgerAttempt[]>;
  cursors: Map<string, JobCursor>;
  outages: Map<string, JobOutage>;
};

const keyOf = ({ job, slot }: RunKey): string => JSON.stringify([job, slot]);
const order = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right));
const byJob = (left: { readonly job: string }, right: { readonly job: string }): number =>
  order(left.job, right.job);
const bySlot = (left: RunKey, right: RunKey): number => left.slot - right.slot || byJob(left, right);
const wasAsked = ({ trigger }: LedgerRun): boolean => ['hand', 'backfill', 'needed'].includes(trigger);
const neverRan = (run: LedgerRun): boolean =>
  ['missed', 'skipped', 'queued'].includes(run.state) && run.attempts === 0 && !wasAsked(run);
const waits = (run: LedgerRun): boolean =>
  run.state === 'queued' ||
  ((run.state === 'failed' || run.state === 'interrupted') && run.nextAttempt !== undefined);
const isOpen = (run: LedgerRun): boolean => run.state === 'running' || waits(run);

const endedWithProcess = ({ code }: LedgerAttempt): boolean =>
  code === 'process-ended' || code === 'job-suspended';

const momentOf = ({ endedAt, startedAt, claimedAt }: LedgerRun): number => endedAt ?? startedAt ?? claimedAt;

/** Without the fields that are there only while they hold. */
const bare = (run: LedgerRun): LedgerRun => {
  const { nextAttempt: _, endedAt: __, code: ___, reason: ____, summary: _____, ...rest } = run;
  return rest;
};

const given = <T extends object>(fields: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>;
  };

const claimIn = (model: Model, claims: readonly Claim[]): readonly LedgerRun[] => {
  const { runs, cursors } = model;
  for (const { cursor, reopenedAfter } of claims) {
    if (cursor === undefined || reopenedAfter === undefined) continue;
    for (const [key, run] of runs) {
      if (run.job !== cursor.job || !neverRan(run)) continue;
      if (run.slot > reopenedAfter) runs.delete(key);
      else if ((run.through ?? 0) > reopenedAfter) {
        const { through: _through, ...rest } = run;
        // What is left of a span may be its first slot alone.
        runs.set(key, run.slot === reopenedAfter ? rest : { ...rest, through: reopenedAfter });
      }
    }
  }
  const fresh: LedgerRun[] = [];
  const wanted = new Map<string, LedgerRun>();
  for (const run of claims.flatMap((claim) => claim.runs))
    if (!wanted.has(keyOf(run))) wanted.set(keyOf(run), run);
  for (const [key, run] of wanted) {
    const range = runs.get(key);
    if (range?.through === undefined || !neverRan(range) || !wasAsked(run) || run.through !== undefined)
      continue;
    const rest = { ...range, slot: unixMillis(range.slot + 1) };
    if (range.through <= range.slot || runs.has(keyOf(rest))) continue;
    runs.delete(key);
    runs.set(keyOf(rest), rest);
  }
  for (const [key, run] of wanted) {
    if (runs.has(key)) continue;
    runs.set(key, run);
    fresh.push(run);
  }
  for (const { cursor } of claims) if (cursor !== undefined) cursors.set(cursor.job, cursor);
  return fresh;
};

const trimIn = ({ runs, attempts }: Model, before: UnixMillis): number => {
  const old = [...runs].filter(([, run]) => (run.through ?? run.slot) < before && !isOpen(run));
  for (const [key] of old) {
    runs.delete(key);
    attempts.delete(key);
  }
  return old.length;
};

/** The run ledger in memory: nothing of it survives the process. */
export const createMemoryLedger = (outbox: Pick<OutboxTable, 'put'> = createMemoryOutbox()): RunLedger => {
  const model: Model = { runs: new Map(), attempts: new Map(), cursors: new Map(), outages: new Map() };
  const { runs, attempts, cursors, outages } = model;
  const all = (): LedgerRun[] => [...runs.values()].toSorted(bySlot);
  return {
    cursors: async () => [...cursors.values()].toSorted(byJob),
    claim: async (claims) => claimIn(model, claims),
    forget: async (jobs) => {
      for (const job of jobs) cursors.delete(job);
    },
    open: async () => all().filter(isOpen),
    find: async (key) => runs.get(keyOf(key)),
    reopen: async (key, at) => {
      const run = runs.get(keyOf(key));
      if (run === undefined || isOpen(run) || run.through !== undefined) return undefined;
      const reopened: LedgerRun = { ...bare(run), state: 'queued', nextAttempt: at };
      runs.set(keyOf(key), reopened);
      return reopened;
    },
    begin: async (begins, at) => {
      const distinct = new Map(begins.map((begin) => [keyOf(begin), begin]));
      const waiting = [...distinct.keys()].flatMap((key) => runs.get(key) ?? []).filter(waits);
      if (waiting.length < distinct.size)
        throw fault(
          'warehouse-failed',
          `${distinct.size - waiting.length} of ${distinct.size} runs to start are no longer queued`,
        );
      for (const [key, { job, slot, late }] of distinct) {
        const run = runs.get(key);
        if (run === undefined) continue;
        const attempt = run.attempts + 1;
        const why = late === undefined ? {} : { event: 'late' as const, reason: late };
        runs.set(key, { ...bare(run), ...why, state: 'running', attempts: attempt, startedAt: at });
        const begun: LedgerAttempt = { job, slot, attempt, startedAt: at, state: 'running' };
        attempts.set(key, [...(attempts.get(key) ?? []), begun]);
      }
    },
    noteEnds: async (ends) => {
      for (const { attempt, code, ...key } of ends) {
        const noted = (one: LedgerAttempt): boolean =>
          one.attempt === attempt && (one.state === 'running' || endedWithProcess(one));
        const list = attempts.get(keyOf(key)) ?? [];
        attempts.set(
          keyOf(key),
          list.map((one) => (noted(one) ? { ...one, code } : one)),
        );
      }
    },
    end: async (ends) => {
      for (const end of ends) {
        const key = keyOf(end);
        const run = runs.get(key);
        if (run?.state !== 'running') continue;
        const { state, at, code, reason, summary, event } = end;
        const why = given({ code, reason });
        const nextAttempt = state === 'ok' ? undefined : end.nextAttempt;
        const more = given({ summary, nextAttempt, event });
        runs.set(key, { ...bare(run), ...why, ...more, state, endedAt: at });
        const list = attempts.get(key) ?? [];
        attempts.set(
          key,
          list.map((one) => {
            if (one.attempt !== run.attempts) return one;
            const { code: _noted, ...rest } = one;
            return { ...rest, ...why, state, endedAt: at };
          }),
        );
      }
    },
    close: async (closings) => {
      for (const { state, at, code, reason, event, ...key } of closings) {
        const run = runs.get(keyOf(key));
        if (run === undefined || !waits(run)) continue;
        const { nextAttempt: _, code: __, ...rest } = run;
        runs.set(keyOf(key), { ...rest, ...given({ code, event }), state, reason, endedAt: at });
      }
    },
    list: async ({ job, states, limit }) =>
      all()
        .filter((run) => (job === undefined || run.job === job) && (states?.includes(run.state) ?? true))
        .toSorted((left, right) => right.slot - left.slot || byJob(left, right))
        .slice(0, limit),
    attempts: async (keys) =>
      [...new Set(keys.map(keyOf))]
        .flatMap((key) => attempts.get(key) ?? [])
        .toSorted((left, right) => bySlot(left, right) || left.attempt - right.attempt),
    latest: async () => {
      const newest = new Map(all().flatMap((run) => (run.attempts > 0 ? [[run.job, run] as const] : [])));
      return [...newest.values()].toSorted(byJob);
    },
    failures: async () => {
      const newest = new Map<string, LedgerRun>();
      const ended = all()
        .filter(({ nextAttempt }) => nextAttempt === undefined)
        .toSorted((left, right) => (left.endedAt ?? 0) - (right.endedAt ?? 0) || bySlot(left, right));
      for (const run of ended)
        if (run.state === 'failed' || run.state === 'interrupted') newest.set(run.job, run);
      const succeeded = (run: LedgerRun): boolean =>
        ended.some(
          (other) =>
            other.job === run.job && other.state === 'ok' && (other.endedAt ?? 0) >= (run.endedAt ?? 0),
        );
      return [...newest.values()].filter((run) => !succeeded(run)).toSorted(byJob);
    },
    processEnds: async () => {
      const every = [...attempts.values()].flat();
      const ends = new Map<string, number>();
      for (const one of every) {
        const { job, startedAt } = one;
        const isOld = every.some(
          (other) => other.job === job && other.state === 'ok' && other.startedAt >= startedAt,
        );
        if (!isOld && endedWithProcess(one)) ends.set(job, (ends.get(job) ?? 0) + 1);
      }
      return ends;
    },
    orderedStops: async () =>
      [...attempts.values()]
        .flatMap((every) => {
          const [first, ...more] = every.filter(({ code }) => code === 'run-stopped');
          return first === undefined ? [] : [{ job: first.job, slot: first.slot, stops: 1 + more.length }];
        })
        .toSorted(bySlot),
    goodEnds: async () => {
      const ends = new Map<string, UnixMillis>();
      for (const { job, state, endedAt } of all())
        if (state === 'ok' && endedAt !== undefined && endedAt > (ends.get(job) ?? -1))
          ends.set(job, endedAt);
      return ends;
    },
    neverRan: async (dueBefore) => {
      const first = new Map<string, UnixMillis>();
      for (const { job, slot, state, nextAttempt = dueBefore } of all())
        if (!first.has(job) && (state === 'missed' || (state === 'queued' && nextAttempt < dueBefore)))
          first.set(job, slot);
      for (const { job, attempts } of all()) if (attempts > 0) first.delete(job);
      return first;
    },
    outcomes: async (spans) => {
      const counts = new Map<string, Awaited<ReturnType<RunLedger['outcomes']>>[number]>();
      for (const { job, slot, through = slot, state } of all())
        for (const [span, { start, end }] of spans.entries()) {
          if (slot >= end || through < start) continue;
          const key = JSON.stringify([job, span, state]);
          counts.set(key, { job, span, state, runs: (counts.get(key)?.runs ?? 0) + 1 });
        }
      return [...counts.values()].toSorted(
        (left, right) => byJob(left, right) || left.span - right.span || order(left.state, right.state),
      );
    },
    goodThrough: async (job) => all().findLast((run) => run.job === job && run.state === 'ok')?.interval.end,
    outages: async () => [...outages.values()].toSorted(byJob),
    events: async () =>
      all()
        .filter(({ event }) => event !== undefined)
        .toSorted((left, right) => momentOf(left) - momentOf(right) || bySlot(left, right)),
    noteOutages: async ({ opened, closed, noted, mails }) => {
      await outbox.put(mails);
      for (const job of closed) outages.delete(job);
      for (const outage of opened) if (!outages.has(outage.job)) outages.set(outage.job, outage);
      for (const key of noted.map(keyOf)) {
        const { event: _, ...run } = runs.get(key) ?? {};
        if ('job' in run) runs.set(key, run);
      }
    },
    trim: async (before) => trimIn(model, before),
  };
};
