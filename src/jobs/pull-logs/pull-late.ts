import {
  dateAt,
  errorFields,
  interval,
  isFault,
  rangeText,
  startOfDay,
  toMillis,
  toSeconds,
  type Interval,
  type Money,
  type UnixMillis,
  type UnixSeconds,
} from '../../core/index.ts';
import {
  afterFinding,
  afterTry,
  isLocated,
  daysToCheck,
  joinRanges,
  monthsToCheck,
  planLatePulls,
  type LogSession,
  type RequestBudget,
} from '../../ingest/index.ts';
import type { LaggingWindow } from '../../warehouse/index.ts';
import type { JobContext } from '../job-kind.ts';
import { compareWindow, isLagging } from './compare-window.ts';

type Range = Interval<UnixSeconds>;

export type LatePullDeps = {
  readonly context: JobContext;
  readonly budget: RequestBudget;
  /** Opened when the first window is pulled again. */
  readonly openSession: (first: UnixSeconds) => Promise<LogSession>;
};

export type LatePulls = {
  /** Windows pulled again; `isChanged` if any of them changed the stored log. */
  readonly ranges: readonly Range[];
  readonly isChanged: boolean;
  readonly left: number;
};

/** A backfill does not search for late rows. */
export const noLatePulls: LatePulls = { ranges: [], isChanged: false, left: 0 };

/** In the time zone of the job. */
export const startOfToday = ({ clock, zone }: JobContext): UnixMillis =>
  toMillis(startOfDay(dateAt(toSeconds(clock.now()), zone), zone));

const isSame = (left: Range, right: Range): boolean => left.start === right.start && left.end === right.end;

const sumLagging = async (
  range: Range,
  context: JobContext,
): Promise<{ readonly sum: Money; readonly lags: boolean } | undefined> => {
  const found = await compareWindow(range, context);
  return found === undefined ? undefined : { sum: found.match.reading, lags: isLagging(found) };
};

type Summed = { readonly range: Range; readonly sum: Money };
type SearchDeps = Pick<LatePullDeps, 'context' | 'budget'> & {
  /** Requests reserved for the pulls, which the search must not use. */
  readonly reserve: number;
};

/** Narrows a lagging range to its lagging days; to the smallest range known when the requests are used up. */
const locate = async (
  days: readonly Range[],
  sum: Money,
  deps: SearchDeps,
): Promise<{ readonly found: readonly Summed[]; readonly isComplete: boolean }> => {
  const { context, budget, reserve } = deps;
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return { found: [], isComplete: true };
  const whole = { range: interval(first.start, last.end), sum };
  const found: Summed[] = [];
  let isComplete = true;
  const middle = Math.ceil(days.length / 2);
  for (const half of days.length === 1 ? [] : [days.slice(middle), days.slice(0, middle)]) {
    if (budget.left() <= reserve) {
      isComplete = found.length === 0;
      break;
    }
    context.signal.throwIfAborted();
    const [start, end] = [half[0]?.start ?? first.start, half.at(-1)?.end ?? last.end];
    const compared = await sumLagging(interval(start, end), context);
    if (compared?.lags !== true) continue;
    const within = await locate(half, compared.sum, deps);
    found.push(...within.found);
    isComplete &&= within.isComplete;
  }
  // If only the sum of both halves shows the gap, both are pulled together.
  return { found: found.length === 0 ? [whole] : found, isComplete };
};

/** Compares a month with the gateway's sum, and records its lagging days. */
const checkMonth = async (month: Range, deps: SearchDeps): Promise<void> => {
  const { account, warehouse, clock, zone } = deps.context;
  const { comparisons } = warehouse;
  const today = startOfToday(deps.context);
  const landed = await comparisons.landings(account.name, month, today);
  const isFresh = joinRanges(landed.map(({ window }) => window)).some(
    ({ start, end }) => start <= month.start && end >= month.end,
  );
  // Rows that landed today were compared then.
  if (isFresh) return;
  const compared = await sumLagging(month, deps.context);
  if (compared === undefined) return;
  const known = await comparisons.lagging(account.name);
  const check = (await comparisons.checks(account.name)).find(({ range }) => isSame(range, month));
  if (!compared.lags) await comparisons.noteLagging(account.name, month, []);
  else if (!isLocated(compared.sum, month, check, known)) {
    const { found, isComplete } = await locate(daysToCheck(month, zone), compared.sum, deps);
    const windows = found.map(({ range, sum }) =>
      afterFinding(
        known.find((one) => isSame(one.range, range)),
        range,
        sum,
      ),
    );
    if (isComplete) await comparisons.noteLagging(account.name, month, windows);
    else for (const window of windows) await comparisons.noteLagging(account.name, window.range, [window]);
    // Without a recorded check, the next run continues with this month.
    if (!isComplete) return;
  }
  await comparisons.noteCheck(account.name, {
    range: month,
    gatewaySum: compared.sum,
    checkedAt: clock.now(),
  });
};

/** Undefined when the requests are used up before the window has landed. */
const pullAgain = async (
  window: LaggingWindow,
  { context, openSession }: LatePullDeps,
): Promise<{ readonly isChanged: boolean } | undefined> => {
  const { account, warehouse, clock, log, zone } = context;
  const { range } = window;
  log.info('the gateway counts more than the log holds: pulling the window again', {
    window: rangeText.seconds(range, zone),
    tries: window.tries,
  });
  const session = await openSession(range.start);
  let [landings, isChanged] = [0, false];
  for await (const landed of session.land([{ window: range, why: 'requested' }], 'every')) {
    landings += 1;
    isChanged ||= landed.rows !== landed.replaced || landed.restated > 0;
  }
  if (landings === 0) return undefined;
  const compared = await sumLagging(range, context);
  const left =
    compared?.lags === false ? [] : [afterTry(window, compared?.sum ?? window.gatewaySum, clock.now())];
  await warehouse.comparisons.noteLagging(account.name, range, left);
  return { isChanged };
};

/**
 * Compares each month of the covered log with the gateway's sum once a day, and pulls lagging days again: each once a day,
 * latest first, within the run's requests. If the gateway does not answer, the next run continues.
 */
export const pullLateRows = async (deps: LatePullDeps): Promise<LatePulls> => {
  const { context, budget, openSession } = deps;
  const { account, warehouse, zone, log, signal } = context;
  const { comparisons, logs } = warehouse;
  const today = startOfToday(context);
  const ranges: Range[] = [];
  let isChanged = false;
  let opened: LogSession | undefined;
  const open = async (first: UnixSeconds): Promise<LogSession> => (opened ??= await openSession(first));
  const covered = await logs.watermark(account.name);
  const isProven = (await logs.amounts(account.name))?.form !== undefined;
  try {
    if (covered !== undefined && isProven) {
      const checks = await comparisons.checks(account.name);
      const reserve = Math.ceil(budget.left() / 2);
      for (const month of monthsToCheck({ covered, checks, today, zone })) {
        if (budget.left() <= reserve) break;
        signal.throwIfAborted();
        await checkMonth(month, { context, budget, reserve });
      }
    }
    const known = await comparisons.lagging(account.name);
    for (const window of planLatePulls(known, { today, requests: budget.left() })) {
      if (budget.left() < 1) break;
      signal.throwIfAborted();
      const pulled = await pullAgain(window, { ...deps, openSession: open });
      if (pulled === undefined) break;
      ranges.push(window.range);
      isChanged ||= pulled.isChanged;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!isFault(error)) throw error;
    log.warn('the search for late rows stopped; the next run continues it', errorFields(error));
  } finally {
    await opened?.end();
  }
  return { ranges, isChanged, left: (await comparisons.lagging(account.name)).length };
};
