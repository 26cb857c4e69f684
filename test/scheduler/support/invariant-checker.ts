import type { Job } from '../../../src/config/index.ts';
import type { AttemptEnd, Claim, LedgerRun, RunClosing, RunKey } from '../../../src/storage/index.ts';
import { dispositionsOf, retryWaitOf } from './policy-oracle.ts';
import { knownSchedule, slotBefore } from './known-schedules.ts';

/** How the work of a run went, as the job that is played knows it. */
export type WorkEnd = 'ok' | 'passing' | 'lasting' | 'plain' | 'timeout' | 'stopped';

/** What the invariant checker knows of one row of the ledger. Times in milliseconds. */
export type Row = {
  readonly job: string;
  readonly slot: number;
  readonly through?: number;
  readonly trigger: LedgerRun['trigger'];
  readonly interval: string;
  state: 'waiting' | 'running' | 'missed' | 'skipped' | 'ok' | 'failed' | 'interrupted';
  attempts: number;
  /** Attempts that an ordered stop ended. */
  stops: number;
  nextAttempt: number;
  claimedAt: number;
  /** The clock was set back since its next attempt was fixed. */
  mayComeEarly: boolean;
  executed: boolean;
  work?: WorkEnd;
  wasOk: boolean;
  reason?: string;
};

export type Table = {
  readonly now: () => number;
  /** Declarations in force of a job: two while a change is being taken up. */
  readonly declared: (job: string) => readonly Job[];
  /** Whether the change that is being taken up removes the job. */
  readonly isGoing: (job: string) => boolean;
  readonly maxRunning: () => number;
  readonly isRequested: (key: string) => boolean;
  readonly wasAborted: (key: string) => boolean;
  readonly isStarting: () => boolean;
  readonly watermark: (job: string) => number | undefined;
};

export const rowKey = ({ job, slot }: { job: string; slot: number }): string => `${slot} ${job}`;
const bySlot = ({ trigger }: Pick<Row, 'trigger'>): boolean =>
  trigger === 'schedule' || trigger === 'catchup';
export const isOpenRow = ({ state }: Row): boolean => state === 'waiting' || state === 'running';
const shown = (moment: number): string => new Date(moment).toISOString();

type Cursor = { moment: number; version: number; expression: string; zone: string; text: string };

/**
 * Watches every change of the ledger and holds it against what is guaranteed: the text of the policies said again, from
 * nothing but the calls, the clock, and the work that was done. Finds are collected; a call is never hindered.
 */
export const createInvariantChecker = (table: Table) => {
  const rows = new Map<string, Row>();
  const cursors = new Map<string, Cursor>();
  const delays = new Map<string, number>();
  const finds: string[] = [];
  const find = (row: { job: string; slot: number }, message: string): void =>
    void finds.push(`${row.job} ${shown(row.slot)} at ${shown(table.now())}: ${message}`);
  const opened = new Set<Row>();
  const open = (): Row[] => {
    for (const row of opened) if (!isOpenRow(row) || rows.get(rowKey(row)) !== row) opened.delete(row);
    return [...opened];
  };
  const others = (row: Row): Row[] => open().filter((other) => other.job === row.job && other !== row);
  const some = (row: { job: string }, holds: (job: Job) => boolean): boolean =>
    table.declared(row.job).some(holds);
  const ordered = (row: Row): boolean => !bySlot(row) || table.isRequested(rowKey(row));

  const checkSlot = (run: LedgerRun, cursor: Cursor, jobs: readonly Job[]): void => {
    if (run.through !== undefined) return;
    const before = slotBefore(knownSchedule(cursor.expression), cursor.zone, run.slot) ?? run.slot;
    if (run.interval.end !== run.slot || run.interval.start !== before)
      find(run, `its interval is ${shown(run.interval.start)} to ${shown(run.interval.end)}`);
    if (run.trigger !== 'catchup' && table.now() - run.slot > 60_000) find(run, 'it was late, not on time');
    if (run.state !== 'queued') {
      if (run.reason === undefined || run.endedAt !== table.now() || run.nextAttempt !== undefined)
        find(run, 'it is over without reason and end');
      return;
    }
    const delay = (run.nextAttempt ?? Number.NaN) - run.slot;
    const job = jobs.find(({ randomizedDelay }) => delay >= 0 && delay <= randomizedDelay);
    if (job === undefined) return find(run, `it is put off by ${delay}`);
    const known = delays.get(`${run.job} ${job.randomizedDelay}`) ?? delay;
    if (known !== delay) find(run, `it is put off by ${delay}, others were by ${known}`);
    delays.set(`${run.job} ${job.randomizedDelay}`, known);
  };

  const put = (run: LedgerRun): void => {
    if (rows.has(rowKey(run))) return;
    const { job, slot, through, trigger, interval } = run;
    const row: Row = {
      job,
      slot,
      trigger,
      interval: `${interval.start} ${interval.end}`,
      ...(through === undefined ? {} : { through }),
      state: run.state === 'queued' ? 'waiting' : run.state,
      attempts: 0,
      stops: 0,
      nextAttempt: run.nextAttempt ?? 0,
      claimedAt: run.claimedAt,
      mayComeEarly: false,
      executed: false,
      wasOk: false,
      ...(run.reason === undefined ? {} : { reason: run.reason }),
    };
    rows.set(rowKey(run), row);
    opened.add(row);
  };

  const takeBack = (job: string, now: number): void => {
    for (const [key, row] of rows) {
      if (row.job !== job || !bySlot(row) || row.attempts > 0 || row.state === 'failed') continue;
      if (row.slot > now) rows.delete(key);
      else if ((row.through ?? 0) > now) {
        const { through: _through, ...rest } = row;
        // What is left of a span may be its first slot alone.
        rows.set(key, row.slot === now ? rest : { ...rest, through: now });
      }
    }
  };

  const claimed = ({ cursor, runs, reopenedAfter }: Claim): void => {
    const now = table.now();
    if (cursor === undefined) {
      for (const run of runs) {
        if (bySlot(run)) find(run, 'a slot without a cursor');
        giveWay(run);
        put(run);
      }
      return;
    }
    const here = { job: cursor.job, slot: now };
    const jobs = table.declared(cursor.job);
    const [expression = '', zone = ''] = JSON.parse(cursor.schedule) as string[];
    const known = cursors.get(cursor.job);
    const next = { moment: now, version: cursor.version, expression, zone, text: cursor.schedule };
    if (cursor.claimedThrough !== now) find(here, `the cursor goes to ${shown(cursor.claimedThrough)}`);
    const isOld = known?.text === cursor.schedule;
    if (!isOld && !jobs.some((job) => job.schedule === expression && job.timezone === zone))
      find(here, `its cursor follows ${cursor.schedule}, which nobody declared`);
    cursors.set(cursor.job, next);
    if (known === undefined) {
      if (runs.length > 0) find(here, 'slots from before it was declared');
      return;
    }
    if (cursor.version !== known.version + (isOld ? 0 : 1)) find(here, `it is version ${cursor.version}`);
    if (now < known.moment) {
      if (reopenedAfter !== now || runs.length > 0)
        find(here, 'the clock was set back, and it did not follow');
      takeBack(cursor.job, now);
      return;
    }
    if (reopenedAfter !== undefined) find(here, 'it went back though the clock did not');
    const got = runs
      .map(
        ({ slot, through, state }) =>
          `${shown(slot)} ${through === undefined ? '' : `to ${shown(through)} `}${state}`,
      )
      .toSorted();
    const expected = jobs.map((job) =>
      dispositionsOf(job, knownSchedule(known.expression), known.zone, known.moment, now)
        .map(
          ({ slot, through, state }) =>
            `${shown(slot)} ${through === undefined ? '' : `to ${shown(through)} `}${state}`,
        )
        .toSorted(),
    );
    if (!expected.some((dispositions) => dispositions.join('\n') === got.join('\n')))
      find(here, `claimed are\n${got.join('\n')}\nexpected are\n${expected[0]?.join('\n') ?? ''}`);
    for (const run of runs) {
      if (run.version !== known.version) find(run, `it is of version ${run.version}`);
      checkSlot(run, known, jobs);
      put(run);
    }
  };

  /** The first slot of a span that is asked for leaves the span. */
  const giveWay = (run: LedgerRun): void => {
    const range = rows.get(rowKey(run));
    if (range?.through === undefined || range.through <= range.slot) return;
    rows.delete(rowKey(run));
    rows.set(rowKey({ job: run.job, slot: run.slot + 1 }), { ...range, slot: range.slot + 1 });
  };

  const missingOf = (row: Row, job: Job): readonly Job[] =>
    job.needs
      .flatMap((name) => table.declared(name).slice(0, 1))
      .filter((need) => (table.watermark(need.name) ?? -1) < Number(row.interval.split(' ')[1]));

  const begun = (keys: readonly RunKey[], at: number): void => {
    for (const key of keys) {
      const row = rows.get(rowKey(key));
      if (row === undefined) {
        find(key, 'it begins and has no row');
        continue;
      }
      const jobs = table.declared(row.job);
      const [job] = jobs;
      if (row.state !== 'waiting') find(row, `it begins while it is ${row.state}`);
      if (row.wasOk) find(row, 'it begins though it ended well before');
      if (at !== table.now()) find(row, 'its begin is not now');
      if (job === undefined) find(row, 'it begins and is not declared');
      const free = ordered(row);
      if (job !== undefined && !jobs.some(({ concurrency }) => concurrency === 'allow')) {
        const beside = others(row);
        if (beside.some(({ state }) => state === 'running')) find(row, 'it begins beside another run');
        const isAhead = (other: Row): boolean => bySlot(other) && other.slot < row.slot && !ordered(other);
        if (!free && beside.some(isAhead)) find(row, 'it begins before an earlier slot');
      }
      if (at < row.nextAttempt && !row.mayComeEarly && !free)
        find(row, `it begins before ${shown(row.nextAttempt)}`);
      if (!free && row.attempts === 0) {
        if (!some(row, ({ suspend }) => !suspend)) find(row, 'it begins though its job is suspended');
        if (!some(row, ({ startingDeadline: most }) => most === undefined || at <= row.slot + most))
          find(row, 'it begins after its starting deadline');
      }
      const running = open().filter(({ state }) => state === 'running');
      if (running.length >= table.maxRunning()) find(row, 'more run than may');
      const locks = new Set(running.flatMap((other) => table.declared(other.job)[0]?.locks ?? []));
      if (job?.locks.some((lock) => locks.has(lock)) === true) find(row, 'its lock is held');
      row.state = 'running';
      row.attempts += 1;
      row.executed = false;
      delete row.work;
    }
  };

  const ended = (end: AttemptEnd): void => {
    const row = rows.get(rowKey(end));
    if (row?.state !== 'running') return find(end, `it ends while it is ${row?.state ?? 'unknown'}`);
    const reason = end.reason ?? '';
    const isMeant = reason.includes('replaced it') || reason.includes('client that requested');
    const [job] = table.declared(row.job);
    if (end.state === 'ok') {
      if (row.work !== 'ok') find(row, `it ends ok, and its work ${row.work ?? 'never ended'}`);
      if (row.wasOk) find(row, 'it ends ok a second time');
      row.wasOk = true;
    } else if (end.state === 'failed') {
      if (row.work === undefined || row.work === 'ok')
        find(row, `it failed, its work ${row.work ?? 'did not'}`);
      if (row.work === 'timeout' && end.code !== 'run-timeout') find(row, `its timeout is ${end.code ?? ''}`);
    } else {
      if (reason === '') find(row, 'it is interrupted without a reason');
      // What replaced it may be over by now: its work took its time to end.
      const isReplaced = [...rows.values()].some(
        (other) => other.job === row.job && other.slot > row.slot && other.trigger === 'schedule',
      );
      // What replaced it may lie ahead again since.
      if (reason.includes('replaced it') && !isReplaced && !row.mayComeEarly)
        find(row, 'it is replaced by nothing');
      if (reason.includes('process ended') && !table.isStarting())
        find(row, 'its process is said to have ended');
      if (reason.includes('client that requested') && !table.wasAborted(rowKey(row)))
        find(row, 'nobody asked for its end');
    }
    const mayHelp = end.state === 'interrupted' ? !isMeant : row.work !== 'lasting';
    const isStopped = end.code === 'run-stopped';
    if (isStopped) row.stops += 1;
    const counted = row.attempts - row.stops;
    const again =
      end.state !== 'ok' &&
      bySlot(row) &&
      job !== undefined &&
      (isStopped || counted <= job.retries.limit) &&
      (mayHelp || end.state === 'interrupted') &&
      !isMeant;
    // A job that goes while it runs may be tried again or not.
    const isGoing = job === undefined || table.isGoing(row.job);
    if (again !== (end.nextAttempt !== undefined) && !isGoing)
      find(row, `${end.state} after ${row.attempts} attempts, again: ${end.nextAttempt !== undefined}`);
    if (end.nextAttempt !== undefined && job !== undefined) {
      const wait = end.nextAttempt - end.at;
      if (wait !== (isStopped ? 0 : retryWaitOf(job.retries, counted)))
        find(row, `it is tried again after ${wait}`);
    }
    row.state = end.nextAttempt === undefined ? end.state : 'waiting';
    row.nextAttempt = end.nextAttempt ?? 0;
    // Written down late, it may have ended before the clock was set back.
    row.mayComeEarly = end.at > table.now();
    row.reason = reason;
  };

  const whyClosed = (row: Row, { state, reason, code }: RunClosing): string | undefined => {
    const beside = others(row);
    const tried = row.attempts > 0;
    if (state === 'missed') {
      const isPast = ({ startingDeadline: most }: Job): boolean =>
        most !== undefined && table.now() > row.slot + most;
      return !tried && !ordered(row) && some(row, isPast) ? undefined : 'missed before its deadline';
    }
    if (code === 'data-late') {
      const isLate = (job: Job): boolean => job.whenLate === 'fail' && missingOf(row, job).length > 0;
      return some(row, isLate) ? undefined : 'its data are not late';
    }
    if (reason.includes('the client that requested it has disconnected'))
      return table.isStarting() && !bySlot(row) ? undefined : 'somebody waits for it';
    if (reason.includes('client that requested'))
      return table.wasAborted(rowKey(row)) ? undefined : 'nobody gave it up';
    if (reason.includes('no longer configured'))
      return table.declared(row.job).length === 0 || table.isGoing(row.job) ? undefined : 'it is configured';
    if (ordered(row)) return 'somebody asked for it';
    if (reason.includes('replace'))
      return some(row, ({ concurrency }) => concurrency === 'replace') &&
        beside.some((other) => other.slot > row.slot && other.trigger === 'schedule')
        ? undefined
        : 'nothing replaced it';
    if (tried) return 'it was tried, and is passed over';
    if (reason.includes('forbid'))
      return some(row, ({ concurrency }) => concurrency === 'forbid') &&
        row.trigger === 'schedule' &&
        beside.some((other) => bySlot(other) && other.slot < row.slot && other.stops === 0)
        ? undefined
        : 'nothing forbids it';
    return reason.includes('suspended') && some(row, ({ suspend }) => suspend)
      ? undefined
      : 'without a cause';
  };

  const closed = (closings: readonly RunClosing[]): void => {
    const judged = closings.map((closing) => {
      const row = rows.get(rowKey(closing));
      if (row?.state !== 'waiting') find(closing, `it is closed while it is ${row?.state ?? 'unknown'}`);
      const wrong = row === undefined ? undefined : whyClosed(row, closing);
      if (wrong !== undefined) find(closing, `${closing.state} (${closing.reason}): ${wrong}`);
      return { row, closing };
    });
    for (const { row, closing } of judged) {
      if (row === undefined) continue;
      row.state = closing.state;
      row.reason = closing.reason;
    }
  };

  return {
    rows,
    finds,
    open,
    claimed,
    begun,
    ended,
    closed,
    reopened: (key: RunKey, at: number): void => {
      const row = rows.get(rowKey(key));
      if (row === undefined || isOpenRow(row)) return find(key, 'it is opened again, and is not over');
      if (row.state === 'ok') find(key, 'it is opened again though it ended well');
      row.state = 'waiting';
      row.nextAttempt = at;
      opened.add(row);
    },
    forgotten: (job: string): void => {
      const jobs = table.declared(job);
      if (!table.isGoing(job) && jobs.length > 0 && jobs.every(({ schedule }) => schedule !== undefined))
        find({ job, slot: table.now() }, 'its cursor is forgotten');
      cursors.delete(job);
    },
    clockWentBack: (): void => {
      for (const row of rows.values()) row.mayComeEarly = true;
    },
    /** The work of a run begins. */
    executed: (job: Job, run: LedgerRun, isLate: boolean): void => {
      const row = rows.get(rowKey(run));
      if (row === undefined) return find(run, 'its work begins and it has no row');
      if (row.state !== 'running' || row.attempts !== run.attempts) find(row, 'its work is not written down');
      if (row.executed) find(row, 'its work begins twice in one attempt');
      if (`${run.interval.start} ${run.interval.end}` !== row.interval) find(row, 'its interval changed');
      row.executed = true;
      const missing = missingOf(row, job);
      if (!isLate && missing.length > 0) find(row, 'its data are not there');
      if (isLate && (job.whenLate !== 'run' || missing.length === 0)) find(row, 'it runs on late data');
      const mayHope = (need: Job): boolean =>
        !need.suspend && need.schedule !== undefined && table.now() < row.claimedAt + job.needsDeadline;
      if (isLate && !ordered(row) && missing.some(mayHope)) find(row, 'it did not wait for its data');
    },
    worked: (run: LedgerRun, end: WorkEnd): void => {
      const row = rows.get(rowKey(run));
      if (row?.state === 'running' && row.attempts === run.attempts) row.work = end;
    },
    /** After a look that nothing hindered: every slot has its row, and what waits has something to wait for. */
    atRest: (jobs: ReadonlyMap<string, Job>, openRuns: readonly LedgerRun[]): void => {
      const now = table.now();
      for (const job of jobs.values()) {
        if (job.schedule === undefined) continue;
        const cursor = cursors.get(job.name);
        const here = { job: job.name, slot: now };
        if (cursor === undefined) find(here, 'it has no cursor');
        else if (cursor.expression !== job.schedule || cursor.zone !== job.timezone)
          find(here, `its cursor follows ${cursor.text}`);
        else if (now < cursor.moment) find(here, 'its cursor did not follow the clock back');
        else if (dispositionsOf(job, knownSchedule(job.schedule), cursor.zone, cursor.moment, now).length > 0)
          find(here, 'slots are not claimed');
      }
      const mirrored = openRuns.map(rowKey).toSorted().join();
      if (mirrored !== open().map(rowKey).toSorted().join())
        finds.push(`open are\n${mirrored}\nin the ledger\n${open().map(rowKey).toSorted().join()}`);
      const running = open().filter(({ state }) => state === 'running');
      const locks = new Set(running.flatMap((other) => jobs.get(other.job)?.locks ?? []));
      for (const run of openRuns) {
        const row = rows.get(rowKey(run));
        const job = jobs.get(run.job);
        if (row === undefined) continue;
        if (row.state === 'running') {
          if (!row.executed) find(row, 'it is said to run, and its work never began');
          continue;
        }
        if (job === undefined) {
          find(row, 'it waits and is not declared');
          continue;
        }
        const next = run.nextAttempt ?? now;
        const latest =
          row.attempts > 0 ? now + job.retries.max : Math.max(now, row.slot + job.randomizedDelay);
        if (next > latest) find(row, `it waits until ${shown(next)}`);
        if (next > now) continue;
        const beside = others(row);
        const isBlocked =
          running.length >= table.maxRunning() ||
          job.locks.some((lock) => locks.has(lock)) ||
          (job.concurrency !== 'allow' &&
            (beside.some(({ state }) => state === 'running') ||
              (!ordered(row) && beside.some((other) => bySlot(other) && other.slot < row.slot))));
        const missing = missingOf(row, job);
        const mayHope = (need: Job): boolean =>
          !need.suspend &&
          (ordered(row) || need.schedule === undefined
            ? open().some((other) => other.job === need.name && other.trigger === 'needed')
            : now < row.claimedAt + job.needsDeadline);
        if (!isBlocked && !missing.some(mayHope)) find(row, 'it waits, and nothing keeps it');
      }
    },
  };
};

export type InvariantChecker = ReturnType<typeof createInvariantChecker>;
