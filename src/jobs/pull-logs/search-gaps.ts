import {
  errorFields,
  interval,
  isFault,
  unixSeconds,
  type Interval,
  type UnixSeconds,
} from '../../core/index.ts';
import {
  afterQuestion,
  cappedRanges,
  landedPieces,
  nextQuestion,
  searchGap,
  shortRanges,
  splitLogWindow,
  type GapAnswer,
  type LogSession,
  type LogWindow,
  type RequestBudget,
} from '../../ingest/index.ts';
import type { JobContext } from '../job-kind.ts';
import { compareWindow, isShort } from './compare-window.ts';

type Range = Interval<UnixSeconds>;

export type GapSearchDeps = {
  readonly context: JobContext;
  readonly budget: RequestBudget;
  /** Opened when the first window is requested again. */
  readonly openSession: (first: UnixSeconds) => Promise<LogSession>;
  /** Rows after which the gateway is known to end an export. */
  readonly rowCap: number | undefined;
};

export type SearchedGaps = {
  readonly ranges: readonly Range[];
  /** Exports that were requested again; `isChanged` if any of them changed the stored log. */
  readonly exports: number;
  readonly isChanged: boolean;
  readonly left: number;
  readonly rowCap: number | undefined;
  /** Windows that lack rows although their halves bring no more. */
  readonly unexplained: readonly LogWindow[];
};

const lacksRows = async (window: LogWindow, context: JobContext): Promise<boolean> => {
  const found = await compareWindow(window, context);
  return found === undefined || isShort(found);
};

/**
 * Searches rows that the log lacks by its last comparisons, of any run, until the run's requests are used up; the next run
 * continues. If the gateway does not answer, the search ends for this run.
 */
export const searchGaps = async (deps: GapSearchDeps): Promise<SearchedGaps> => {
  const { context, budget } = deps;
  const { account, warehouse, clock, log, signal } = context;
  const { comparisons, logs } = warehouse;
  const covered = await logs.watermark(account.name);
  const searches = await comparisons.searches(account.name);
  const disputed = covered === undefined ? [] : await comparisons.disputed(account.name);
  const short = shortRanges(disputed, searches, account.currency).flatMap(({ start, end }) => {
    const [first, last] = [Math.max(start, covered?.start ?? 0), Math.min(end, covered?.end ?? 0)];
    return last > first ? [interval(unixSeconds(first), unixSeconds(last))] : [];
  });
  const ranges: Range[] = [];
  const unexplained: LogWindow[] = [];
  let [exports, done] = [0, 0];
  let { rowCap } = deps;
  let isChanged = false;
  const ledger = short.length === 0 && rowCap === undefined ? [] : await logs.windows(account.name);
  const isIn = (one: Range, range: Range): boolean => one.start >= range.start && one.end <= range.end;
  const capped =
    rowCap === undefined
      ? []
      : cappedRanges(ledger, searches, rowCap).filter((one) => !short.some((range) => isIn(one, range)));
  // Latest first, since reports cover it; ranges that no source disputes last.
  const suspects = [
    ...short.toReversed().map((range) => ({ range, isShort: true })),
    ...capped.toReversed().map((range) => ({ range, isShort: false })),
  ];
  let opened: LogSession | undefined;
  const split = (window: LogWindow) => splitLogWindow(window, account.profile);

  /** Undefined when the requests are used up before the window has landed. */
  const pull = async (window: LogWindow): Promise<{ rows: number; served: number } | undefined> => {
    opened ??= await deps.openSession(window.start);
    let [landings, rows, served] = [0, 0, 0];
    for await (const landed of opened.land([{ window, why: 'requested' }], 'every')) {
      exports += 1;
      isChanged ||= landed.rows !== landed.replaced || landed.restated > 0;
      landings += 1;
      rows += landed.rows;
      served += landed.served;
    }
    return landings === 0 ? undefined : { rows, served };
  };
  const answerTo = async (ask: GapAnswer['ask'], window: LogWindow) => {
    if (ask === 'compare')
      return { ask, result: (await lacksRows(window, context)) ? ('short' as const) : ('agrees' as const) };
    const pulled = await pull(window);
    return pulled === undefined ? undefined : { ask, ...pulled };
  };
  const searchRange = async (range: Range, isKnown: boolean): Promise<void> => {
    const request = { maxRequests: budget.left(), rowCap, isShort: isKnown };
    let search = searchGap(landedPieces(range, ledger), request, split);
    for (let next = nextQuestion(search); next !== undefined; next = nextQuestion(search)) {
      signal.throwIfAborted();
      const before = budget.taken();
      const { ask, window } = next;
      const answer = await answerTo(ask, window);
      if (answer === undefined) break;
      search = afterQuestion(search, { ...answer, requests: budget.taken() - before }, split);
    }
    rowCap = search.rowCap;
    unexplained.push(...search.unexplained);
    if (search.todo.length > 0) return;
    await comparisons.noteSearch(account.name, { range, searchedAt: clock.now() });
    done += 1;
  };
  try {
    for (const { range, isShort: isKnown } of suspects) {
      if (budget.left() < 1) break;
      log.info(
        isKnown
          ? 'the log is short: searching for the missing rows'
          : 'checking a window with as many rows as the cap',
        {
          from: new Date(range.start * 1000).toISOString(),
          to: new Date(range.end * 1000).toISOString(),
          requestsLeft: budget.left(),
        },
      );
      ranges.push(range);
      await searchRange(range, isKnown);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!isFault(error)) throw error;
    log.warn('the search for missing rows stopped; the next run continues it', errorFields(error));
  } finally {
    await opened?.end();
  }
  return { ranges, exports, isChanged, left: suspects.length - done, rowCap, unexplained };
};
