import { addMoney, zero, type Money, type UnixSeconds } from '../../core/index.ts';
import { planLogWork } from './log-plan.ts';
import { revisitsFrom } from './log-revisits.ts';
import { openLogSession, type LogPull, type LogPullDeps, type LogSession } from './log-session.ts';

export type PullSummary = {
  /** New or requested windows, their rows, and the sum of their amounts as served. */
  readonly windows: number;
  readonly rows: number;
  readonly quota: Money;
  /** Windows of closed days that were pulled again. */
  readonly revisited: number;
  /** Quarter hours landed before whose sums changed. */
  readonly restated: number;
  /** Unreadable rows, which were quarantined: they are in no sum. */
  readonly quarantined: number;
  /** Received. */
  readonly bytes: number;
  /** The watermark, seconds UTC. */
  readonly watermark: UnixSeconds | undefined;
  /** The requested columns. */
  readonly columns: readonly string[];
  /** Seconds of the plan left for the next run, since this run used up its requests. */
  readonly secondsLeft: number;
};

/**
 * Pulls the call log into the warehouse, window by window, each all or nothing and in the order of the plan; never
 * filtered by status, vendor or model. Pulling again changes nothing. The session is opened once, for the first window.
 * @throws faults export-*, disk-full, path-unwritable and those of fetchLogs.
 */
export const pullLogs = async (
  request: LogPull & LogPullDeps,
  openSession: (first: UnixSeconds) => Promise<LogSession> = async (first) => openLogSession(request, first),
): Promise<PullSummary> => {
  const { warehouse, account, revisit } = request;
  await warehouse.logs.removeFutureRows(account);
  const covered = await warehouse.logs.watermark(account);
  const landings =
    revisit === undefined || covered === undefined
      ? []
      : await warehouse.logs.landings(account, revisitsFrom(covered, revisit.after));
  const plan = planLogWork({ ...request, cursor: covered?.end, origin: covered?.start, landings });
  let [windows, rows, quota, revisited, restated, quarantined] = [0, 0, zero, 0, 0, 0];
  const counts = () => ({ windows, rows, quota, revisited, restated, quarantined });
  const [first] = plan;
  if (first === undefined)
    return { ...counts(), bytes: 0, watermark: covered?.end, columns: [], secondsLeft: 0 };
  const session = await openSession(first.window.start);
  let lengthLeft = plan.reduce((sum, { window }) => sum + window.end - window.start, 0);
  try {
    for await (const landed of session.land(plan)) {
      const { why, window } = landed.planned;
      restated += landed.restated;
      quarantined += landed.quarantined;
      lengthLeft -= window.end - window.start;
      if (why === 'revisit') revisited += 1;
      else [windows, rows, quota] = [windows + 1, rows + landed.rows, addMoney(quota, landed.quota)];
    }
  } finally {
    await session.end();
  }
  const watermark = (await warehouse.logs.watermark(account))?.end;
  const rest = { bytes: session.bytes(), watermark, columns: session.columns(), secondsLeft: lengthLeft };
  return { ...counts(), ...rest };
};
