import {
  hourMillis,
  weekMillis,
  minuteMillis,
  isFault,
  messageOf,
  type Clock,
  type UnixMillis,
} from '../../core/index.ts';
import type { KeyAlert } from '../../keys/index.ts';

type Problem = {
  readonly since: UnixMillis;
  /** Part of the keys of its notifications. */
  readonly name: string;
  notified: boolean;
};

/** Milliseconds that a transient problem may last without a notification; it is retried every five minutes. */
const timeout = 30 * minuteMillis;

/** Milliseconds after which a lasting problem is notified again. */
const repeatAfter = weekMillis;

/** Minimum milliseconds between notifications of one account, so that a problem that comes and goes sends few mails. */
const minInterval = hourMillis;

/** Problems of the gateway or the network. A full disk, like a deleted key, needs a person. */
const isTransient = (error: unknown): boolean =>
  isFault(error) && error.retryHelps && error.code.startsWith('gateway-');

const momentOf = (at: UnixMillis): string => new Date(at).toISOString().replace(/\.\d+/, '');

/** What the alerts are about, and the prefix of their keys: rotations, or the journal, which belongs to no account and whose account name is empty. */
type Watched = 'stuck' | 'closed';

const stuckAlert = (
  of: Watched,
  account: string,
  { since, name }: Problem,
  error: unknown,
  weeks: number,
): KeyAlert => {
  const code = isFault(error) ? error.code : 'error';
  // One outage causes many error codes.
  const what = isTransient(error) ? 'passing' : code;
  return {
    kind: 'failed',
    account,
    service: '',
    rotation: `${of}/${name}`,
    about: { event: of, why: messageOf(error), since },
    fault: isFault(error) ? { code: error.code, advice: error.advice } : undefined,
    key: `${of}/${account}/${what}/${name}${weeks === 0 ? '' : `/${weeks}`}`,
  };
};

const overAlert = (of: Watched, account: string, { since, name }: Problem): KeyAlert => ({
  kind: 'done',
  account,
  service: '',
  rotation: `${of}/${name}`,
  about: { event: `${of}-over`, since },
  key: `${of}/${account}/over/${name}`,
});

/** Decides when operators are notified of rotations that cannot be advanced: no step runs that could notify them. */
export type StuckWatch = {
  /** Returns the due notification at every call: the outbox recognizes a sent one by its key. */
  readonly failed: (account: string, error: unknown) => KeyAlert | undefined;
  readonly advancedAgain: (account: string) => KeyAlert | undefined;
  /** Called when no rotation is open any more. */
  readonly atRest: (account: string) => void;
};

/**
 * Notifies each problem once and weekly, a transient one only after half an hour. The state lives in memory, so a problem
 * present at startup is named by its day: repeated restarts send at most one notification a day.
 */
export const createStuckWatch = (of: Watched, clock: Pick<Clock, 'now'>): StuckWatch => {
  const problems = new Map<string, Problem>();
  const moved = new Set<string>();
  const lastNotified = new Map<string, { readonly at: UnixMillis; readonly name: string }>();
  const begin = (account: string, since: UnixMillis): Problem => {
    const moment = momentOf(since);
    const problem = { since, name: moved.has(account) ? moment : moment.slice(0, 10), notified: false };
    problems.set(account, problem);
    return problem;
  };
  return {
    failed: (account, error) => {
      const now = clock.now();
      const problem = problems.get(account) ?? begin(account, now);
      const lasted = now - problem.since;
      if (isTransient(error) && lasted < timeout) return undefined;
      const last = lastNotified.get(account);
      if (last !== undefined && last.name !== problem.name && now - last.at < minInterval) return undefined;
      if (!problem.notified) lastNotified.set(account, { at: now, name: problem.name });
      problem.notified = true;
      return stuckAlert(of, account, problem, error, Math.max(0, Math.floor(lasted / repeatAfter)));
    },
    advancedAgain: (account) => {
      const problem = problems.get(account);
      problems.delete(account);
      moved.add(account);
      return problem?.notified === true ? overAlert(of, account, problem) : undefined;
    },
    atRest: (account) => {
      problems.delete(account);
      // A later problem was not present at startup.
      moved.add(account);
    },
  };
};
