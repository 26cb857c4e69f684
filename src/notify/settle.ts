import {
  errorFields,
  formatMoment,
  toSeconds,
  type Clock,
  type Fault,
  type Log,
  type Measure,
} from '../core/index.ts';
import type { OutboxRow, OutboxTable } from '../storage/index.ts';
import { afterAttempt, type Verdict } from './after-attempt.ts';
import type { RouteOutcome } from './route.ts';

export type SettleDeps = {
  readonly outbox: OutboxTable;
  readonly clock: Clock;
  /** 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  readonly log: Log;
  readonly measure?: Measure | undefined;
};

const logMessages = {
  deferred: 'deferred a mail',
  failed: 'mail failed',
  unknown: 'mail of unknown outcome',
} as const;

const fieldsOf = ({ id, route, account, kind, subject, recipient, messageId, attempts }: OutboxRow) => ({
  id,
  route,
  account,
  kind,
  subject,
  recipient,
  messageId,
  attempts,
});

const logProblem = (
  row: OutboxRow,
  { state, nextAttempt, error }: Verdict & { readonly state: keyof typeof logMessages },
  why: Fault,
  log: Log,
): void => {
  // A row that will be retried requires no action yet; any other requires action by a person.
  log[nextAttempt === undefined ? 'error' : 'warn'](logMessages[state], {
    ...fieldsOf(row),
    ...errorFields(why),
    error,
    ...(nextAttempt === undefined ? {} : { nextAttempt: formatMoment(toSeconds(nextAttempt), 'UTC') }),
  });
};

export const settleAttempt = async (
  row: OutboxRow,
  outcome: RouteOutcome,
  { outbox, clock, random, log, measure }: SettleDeps,
): Promise<Verdict> => {
  const at = clock.now();
  const verdict = afterAttempt(row, outcome, { at, random });
  const { nextAttempt, error } = verdict;
  await outbox.settle(row.id, {
    state: verdict.state,
    at,
    doubt: verdict.doubt,
    nextAttempt,
    error,
  });
  measure?.({ what: 'mail-attempt', route: row.route, outcome: verdict.state });
  if (outcome.state === 'sent') log.info('mail sent', { ...fieldsOf(row), response: outcome.response });
  else if (verdict.state !== 'sent')
    logProblem(row, { ...verdict, state: verdict.state }, outcome.fault, log);
  return verdict;
};
