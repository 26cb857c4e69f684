import { adviceOf, fault, isFault, type LogFields } from '../../core/index.ts';
import type { RequestResult } from '../../scheduler/index.ts';
import type { LedgerRun, OutboxState } from '../../storage/index.ts';
import type { RunView } from '../../web/index.ts';
import type { App } from '../compose.ts';
import { attemptsByRun, runView } from '../queries/config-views.ts';

export type MailOutcome = {
  readonly sent: number;
  readonly deferred: number;
  readonly failed: number;
  readonly unknown: number;
  readonly queued: number;
  /** The first problem and its next step. */
  readonly problem?: string | undefined;
};

export type RunResult = {
  readonly run: RunView;
  /** The run had succeeded before, so nothing was done now. */
  readonly already: boolean;
  readonly figures: LogFields;
  readonly mail: MailOutcome;
  readonly advice?: string | undefined;
};

const withoutSending = ({
  sending,
  dropped: _dropped,
  ...counts
}: Record<OutboxState, number>): MailOutcome => ({
  ...counts,
  queued: counts.queued + sending,
});

export const runViews = async (app: App, runs: readonly LedgerRun[]): Promise<readonly RunView[]> => {
  const attemptsOf = attemptsByRun(runs.length === 0 ? [] : await app.warehouse.runs.attempts(runs));
  const { jobs } = app.config();
  return runs.map((run) => runView(run, attemptsOf(run), jobs));
};

/** Reports carry job and slot; alerts are those queued for the account since the run began. */
const mailsOf = async (app: App, { job, slot, account, startedAt }: LedgerRun) => {
  const { outbox } = app.warehouse;
  if (app.config().jobs[job]?.kind !== 'alert')
    return outbox.list({ kind: `report:${job}`, subject: new Date(slot).toISOString() });
  const alerts = await outbox.list({ kind: 'alert' });
  return alerts.filter((row) => row.account === account && row.queuedAt >= (startedAt ?? slot));
};

const mailOf = async (app: App, run: LedgerRun, signal: AbortSignal): Promise<MailOutcome> => {
  const counts = { queued: 0, sending: 0, sent: 0, deferred: 0, failed: 0, unknown: 0, dropped: 0, held: 0 };
  const mine = async () => mailsOf(app, run);
  const ids = (await mine()).map(({ id }) => id);
  if (ids.length === 0) return withoutSending(counts);
  using runtime = app.lease();
  const delivered = await runtime.delivery.deliver({ ids, signal });
  for (const { state: stateOfMail } of await mine()) counts[stateOfMail] += 1;
  const isThrough = counts.deferred + counts.failed + counts.unknown === 0;
  return {
    ...withoutSending(counts),
    ...(isThrough || delivered.problem === undefined ? {} : { problem: delivered.problem }),
  };
};

export const resultOf = async (
  app: App,
  requested: RequestResult,
  signal: AbortSignal,
): Promise<RunResult> => {
  const [run] = await runViews(app, [requested.run]);
  if (run === undefined) throw fault('aborted', 'the run has been removed from the ledger');
  const advice = isFault(requested.error) ? requested.error.advice : adviceOf(requested.run.code);
  return {
    run,
    already: requested.already,
    figures: requested.outcome?.figures ?? {},
    mail: await mailOf(app, requested.run, signal),
    ...(run.state === 'ok' || advice === undefined ? {} : { advice }),
  };
};
