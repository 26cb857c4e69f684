import { minuteMillis, isFault, messageOf, type Clock, type UnixMillis } from '../../core/index.ts';
import type { KeyAlert } from '../../keys/index.ts';

/** A time in which an account's rotations could not be advanced. */
type Problem = {
  /** The first failure since they last advanced. */
  readonly since: UnixMillis;
  /** Names it in the keys of its notifications. */
  readonly name: string;
  notified: boolean;
};

/** Milliseconds that a problem which passes by itself may last without a notification; it is met again every five minutes. */
const timeout = 30 * minuteMillis;

/** Milliseconds after which a problem that lasts is told again. */
const repeatAfter = 7 * 24 * 60 * minuteMillis;

/** Milliseconds after a notification in which no other problem of the account is told of: one that comes and goes floods nobody. */
const minInterval = 60 * minuteMillis;

/** The gateway's own problem, or of the way there. A disk that is full helps itself no more than a key that is revoked. */
const isTransient = (error: unknown): boolean =>
  isFault(error) && error.retryHelps && error.code.startsWith('gateway-');

const momentOf = (at: UnixMillis): string => new Date(at).toISOString().replace(/\.\d+/, '');

const about = (
  account: string,
  alert: Pick<KeyAlert, 'kind' | 'title' | 'message' | 'faultAdvice' | 'key'>,
): KeyAlert => ({
  account,
  service: '',
  rotation: '',
  ...alert,
});

/** What is said of a problem, and of its end; moments in UTC. */
type Messages = {
  /** Begins the keys of its notifications. */
  readonly key: string;
  readonly failed: (account: string, since: string) => { readonly title: string; readonly text: string };
  readonly over: (account: string, since: string) => { readonly title: string; readonly message: string };
};

const ofRotations: Messages = {
  key: 'stuck',
  failed: (account, since) => ({
    title: `the rotations of ${account} cannot be advanced`,
    text: `No rotation step has been taken since ${since}; it is retried every five minutes.`,
  }),
  over: (account, since) => ({
    title: `the rotations of ${account} advance again`,
    message: `They could not be advanced since ${since}. The overdue steps are being taken.`,
  }),
};

const ofJournal: Messages = {
  key: 'closed',
  failed: (_, since) => ({
    title: 'key operations are suspended: the key journal is invalid',
    text: `No key is created, changed or deleted; this was first seen at ${since}, and the journal is checked every five minutes while the daemon runs. Reports and pulls continue.`,
  }),
  over: (_, since) => ({
    title: 'the key journal is valid again: rotations advance again',
    message: `It was first seen to be invalid at ${since}. The overdue steps are being taken.`,
  }),
};

const stuckAlert = (
  of: Messages,
  account: string,
  { since, name }: Problem,
  error: unknown,
  weeks: number,
): KeyAlert => {
  const code = isFault(error) ? error.code : 'error';
  // One outage shows in many ways.
  const what = isTransient(error) ? 'passing' : code;
  const { title, text } = of.failed(account, momentOf(since));
  return about(account, {
    kind: 'failed',
    title,
    message: `${messageOf(error)}. ${text}`,
    faultAdvice: isFault(error) ? error.advice : undefined,
    key: `${of.key}/${account}/${what}/${name}${weeks === 0 ? '' : `/${weeks}`}`,
  });
};

const overAlert = (of: Messages, account: string, { since, name }: Problem): KeyAlert =>
  about(account, {
    kind: 'done',
    ...of.over(account, momentOf(since)),
    key: `${of.key}/${account}/over/${name}`,
  });

/** What operators are to hear of rotations that cannot be advanced: no step was taken, so that none could be told of. */
export type StuckWatch = {
  /** The notification that is due, each time again: its key tells the outbox whether it is known. */
  readonly failed: (account: string, error: unknown) => KeyAlert | undefined;
  readonly advancedAgain: (account: string) => KeyAlert | undefined;
  /** None is open any more. */
  readonly atRest: (account: string) => void;
};

/**
 * Reports each problem once, and again after each week; what passes by itself only after half an hour. It is remembered
 * as long as the process lives: one that is there from the start is named by its day, so that repeated starts send at
 * most one notification a day.
 */
const createWatch = (of: Messages, clock: Pick<Clock, 'now'>): StuckWatch => {
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
      // What comes now was not there from the start.
      moved.add(account);
    },
  };
};

export const createStuckWatch = (clock: Pick<Clock, 'now'>): StuckWatch => createWatch(ofRotations, clock);

/** Of the journal, which is of no account: its name is empty. */
export const createJournalWatch = (clock: Pick<Clock, 'now'>): StuckWatch => createWatch(ofJournal, clock);
