import {
  fault,
  formatMoment,
  hasCode,
  isFault,
  messageOf,
  systemCode,
  toSeconds,
  unixMillis,
  type Fault,
} from '../core/index.ts';
import type { MailStore, OutboxRow } from '../storage/index.ts';
import { backoffAfter, giveUpAfter } from './after-attempt.ts';
import type { OutboxRoute, RouteOutcome, Rate } from './route.ts';
import { sendWithin, type StopDeps } from './send-within.ts';
import { settleAttempt, type SettleDeps } from './settle.ts';

export type RateLimit = {
  /** Milliseconds until the next attempt may begin; 0 counts the attempt as begun. */
  readonly take: (now: number) => number;
};

/** At most `count` in any span of `per` milliseconds; unlimited without a rate. */
export const createRateLimit = (rate: Rate | undefined): RateLimit => {
  if (rate === undefined) return { take: () => 0 };
  let begun: number[] = [];
  return {
    take: (now) => {
      // A clock that is set back must not block the route until it catches up.
      begun = begun.filter((moment) => moment > now - rate.per && moment <= now);
      const [oldest] = begun;
      if (oldest !== undefined && begun.length >= rate.count) return oldest + rate.per - now;
      begun.push(now);
      return 0;
    },
  };
};

export type DeliverySummary = {
  readonly sent: number;
  readonly deferred: number;
  readonly failed: number;
  /** May have arrived. */
  readonly unknown: number;
  /** The first problem and its next step. */
  readonly problem?: string | undefined;
};

export type RouteWorkerDeps = SettleDeps &
  StopDeps & {
    readonly mails: Pick<MailStore, 'load'>;
  };

export type CycleOptions = {
  readonly ids?: readonly string[] | undefined;
  /** Whether to wait some seconds for the rate of the route; otherwise the pass ends there. */
  readonly waits: boolean;
  readonly signal?: AbortSignal | undefined;
};

export type RouteWorker = {
  readonly name: string;
  /** Attempts each due row once. Concurrent passes do not send a row twice. */
  readonly runCycle: (options: CycleOptions) => Promise<DeliverySummary>;
};

/** Milliseconds after which a waiting pass begins no attempt, so that the next pass can use a newer config. */
const longestCycle = 60_000;
/** Milliseconds that a pass waits for the rate; a later pass continues after longer waits. */
const longestWait = 5000;

const load = async (mails: RouteWorkerDeps['mails'], row: OutboxRow): Promise<Buffer | RouteOutcome> => {
  try {
    return await mails.load(row.file);
  } catch (error) {
    // A database that cannot be reached says nothing about the mail.
    if (isFault(error) && error.code !== 'mail-file-damaged') {
      const unread = `the mail to ${row.recipient} was not loaded: ${error.message}`;
      return { state: 'deferred', fault: fault('aborted', unread, { cause: error }) };
    }
    const why = isFault(error) ? error : fault('mail-file-damaged', messageOf(error), { cause: error });
    const code = systemCode(error);
    // A failing disk, or a lack of file descriptors, may be temporary.
    return { state: code === undefined || code === 'ENOENT' ? 'failed' : 'deferred', fault: why };
  }
};

const isClosed = (outcome: RouteOutcome): outcome is RouteOutcome & { readonly fault: Fault } =>
  'closed' in outcome && !hasCode(outcome.fault, 'aborted');

/** Processes the rows of one route sequentially. */
export const createRouteWorker = (route: OutboxRoute, deps: RouteWorkerDeps): RouteWorker => {
  const { outbox, clock, random, log } = deps;
  const limit = createRateLimit(route.rate);
  /** Outcomes that could not be stored, on a full disk for example: only this process knows them. */
  const unwritten = new Map<string, { readonly row: OutboxRow; readonly outcome: RouteOutcome }>();

  const settle = async (row: OutboxRow, outcome: RouteOutcome) => {
    unwritten.set(row.id, { row, outcome });
    const verdict = await settleAttempt(row, outcome, deps);
    unwritten.delete(row.id);
    return verdict;
  };

  const admitted = async ({ waits, signal }: CycleOptions): Promise<boolean> => {
    for (;;) {
      const wait = limit.take(clock.now());
      if (wait === 0) return true;
      if (!waits || wait > longestWait) return false;
      try {
        await clock.wait(wait, signal);
      } catch {
        return false;
      }
    }
  };

  /** Defers the remaining rows of a closed route without an attempt; rows past their retry period are given up. */
  const putOffRest = async (
    rest: readonly OutboxRow[],
    until: number,
    outcome: RouteOutcome & { readonly fault: Fault },
    count: (state: 'sent' | 'deferred' | 'failed' | 'unknown', rows?: number) => void,
  ): Promise<void> => {
    const at = clock.now();
    const young = rest.filter(({ triedFrom }) => at - triedFrom < giveUpAfter).map(({ id }) => id);
    const error = `not attempted: ${outcome.fault.message}`;
    const by = { at, until: unixMillis(until), error };
    const rows = young.length === 0 ? 0 : await outbox.putOff(young, by);
    count('deferred', rows);
    if (rows > 0)
      log.warn('deferred further mails', {
        route: route.name,
        mails: rows,
        nextAttempt: formatMoment(toSeconds(by.until), 'UTC'),
      });
    for (const { id, triedFrom } of rest) {
      const row = at - triedFrom < giveUpAfter ? undefined : await outbox.claim(id, at);
      if (row !== undefined) count((await settle(row, outcome)).state);
    }
  };

  return {
    name: route.name,
    runCycle: async (options) => {
      const { ids, waits, signal } = options;
      const counts = { sent: 0, deferred: 0, failed: 0, unknown: 0 };
      const count = (state: keyof typeof counts, rows = 1): void => void (counts[state] += rows);
      let problem: Fault | undefined;
      for (const { row, outcome } of unwritten.values()) await settle(row, outcome);
      const began = clock.now();
      const due = await outbox.due(began, route.name);
      const wanted = ids === undefined ? due : due.filter(({ id }) => ids.includes(id));
      const line = route.begin();
      try {
        for (const [index, { id }] of wanted.entries()) {
          if (signal?.aborted === true || (waits && clock.now() - began > longestCycle)) break;
          if (!(await admitted(options))) break;
          const row = await outbox.claim(id, clock.now());
          if (row === undefined) continue;
          const bytes = await load(deps.mails, row);
          const outcome = Buffer.isBuffer(bytes) ? await sendWithin(line, row, bytes, deps, signal) : bytes;
          const { state, nextAttempt } = await settle(row, outcome);
          count(state);
          if (outcome.state === 'sent') continue;
          problem ??= outcome.fault;
          if (!isClosed(outcome)) continue;
          const until = nextAttempt ?? clock.now() + backoffAfter(row.attempts, random);
          await putOffRest(wanted.slice(index + 1), until, outcome, count);
          break;
        }
      } finally {
        line.close?.();
      }
      return problem === undefined ? counts : { ...counts, problem: `${problem.message}; ${problem.advice}` };
    },
  };
};
