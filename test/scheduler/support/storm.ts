import { fault, unixMillis, type Clock } from '../../../src/core/index.ts';
import { createLog } from '../../../src/core/logging/json-log.ts';
import type { Job } from '../../../src/config/index.ts';
import {
  createScheduler,
  type Execution,
  type Outcome,
  type Scheduler,
} from '../../../src/scheduler/index.ts';
import type { RunLedger } from '../../../src/storage/index.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { knownSchedule, leapDays, newestSlots } from './known-schedules.ts';
import {
  createInvariantChecker,
  isOpenRow,
  rowKey,
  type InvariantChecker,
  type WorkEnd,
} from './invariant-checker.ts';
import { settled } from './scheduler-fixture.ts';
import type { Action, Edit, Plan, Work } from './storm-plan.ts';

const second = 1000;
const day = 86_400 * second;

/** The oracle of the slots knows the clocks of the years up to 2034. */
const farthest = Date.parse('2033-01-01T00:00:00Z');

/** A wall clock that jumps, and timers that do not. */
const createChaosClock = (start: number) => {
  let wall = start;
  let passed = 0;
  const limits = new Map<AbortController, number>();
  const clock: Clock = {
    now: () => unixMillis(wall),
    limit: (millis) => {
      const controller = new AbortController();
      limits.set(controller, passed + millis);
      if (millis <= 0) controller.abort();
      return { signal: controller.signal, [Symbol.dispose]: () => void limits.delete(controller) };
    },
    wait: () => Promise.reject(new Error('nobody waits here')),
  };
  return {
    clock,
    passed: () => passed,
    elapse: (millis: number): void => {
      wall += millis;
      passed += millis;
      for (const [controller, at] of limits) if (at <= passed) controller.abort();
    },
    jump: (millis: number): void => {
      wall += millis;
    },
    nextLimit: (): number => Math.min(...limits.values()) - passed,
  };
};

/** One life of the program. */
type Process = {
  alive: boolean;
  starting: boolean;
  calls: number;
  dieAt?: { readonly call: number; readonly isDone: boolean };
  scheduler?: Scheduler;
  /** The call of the ledger that it made last. */
  last?: Promise<unknown>;
};

type Held = { readonly process: Process; readonly due: () => number; readonly end: () => void };

const log = createLog({
  write: () => undefined,
  level: 'error',
  clock: manualClock(0),
  redact: (text) => text,
});
const dead = (): Error => new Error('the process is dead');

/** Plays a plan over a ledger. @throws Error that lists what the invariant checker found */
export const runChaos = async (plan: Plan, inner: RunLedger): Promise<InvariantChecker> => {
  const time = createChaosClock(Date.parse(plan.start));
  const { clock } = time;
  let declared = new Map(plan.jobs.map((job) => [job.name, job]));
  let pending: Map<string, Job> | undefined;
  let process: Process = { alive: false, starting: false, calls: 0 };
  let isFull = false;
  let played = 0;
  let isIdle = false;
  let hindered = false;
  const blocked = new Set<Held>();
  const watermark = new Map<string, number>();
  const requests = new Map<string, number>();
  const aborted = new Set<string>();
  const unsettled = new Map<Promise<unknown>, Process>();
  const abortsAfter: { ticks: number; controller: AbortController; key: () => string[] }[] = [];
  const history: string[] = [];

  const invariantChecker = createInvariantChecker({
    now: clock.now,
    declared: (name) => [declared.get(name), pending?.get(name)].flatMap((job) => job ?? []),
    isGoing: (name) => pending !== undefined && !pending.has(name),
    maxRunning: () => plan.maxRunning,
    isRequested: (key) => (requests.get(key) ?? 0) > 0,
    wasAborted: (key) => aborted.has(key),
    isStarting: () => process.starting,
    watermark: (name) => watermark.get(name),
  });

  /** The ledger as one process has it: it may be refused, and the process may die at any call, before or after its effect. */
  const ledgerOf = (mine: Process): RunLedger => {
    const call = async <T>(
      writes: boolean,
      work: () => Promise<T>,
      seen: (result: T) => void,
    ): Promise<T> => {
      if (!mine.alive) throw dead();
      mine.calls += 1;
      const isLast = mine.dieAt !== undefined && mine.calls >= mine.dieAt.call;
      if (isLast) {
        mine.alive = false;
        if (mine.dieAt?.isDone !== true) throw dead();
      } else if (writes && isFull) {
        hindered = true;
        throw new Error('no space left on the device');
      }
      const written = work().then((done) => {
        seen(done);
        return done;
      });
      mine.last = written.catch(() => undefined);
      const result = await written;
      if (isLast) throw dead();
      return result;
    };
    const read = async <T>(work: () => Promise<T>): Promise<T> => call(false, work, () => undefined);
    const write = async <T>(
      work: () => Promise<T>,
      seen: (result: T) => void = () => undefined,
    ): Promise<T> => call(true, work, seen);
    return {
      cursors: () => read(inner.cursors),
      open: () => read(inner.open),
      find: (key) => read(() => inner.find(key)),
      list: (query) => read(() => inner.list(query)),
      attempts: (keys) => read(() => inner.attempts(keys)),
      latest: () => read(inner.latest),
      failures: () => read(inner.failures),
      goodEnds: () => read(inner.goodEnds),
      neverRan: (dueBefore) => read(() => inner.neverRan(dueBefore)),
      outcomes: (spans) => read(() => inner.outcomes(spans)),
      processEnds: () => read(inner.processEnds),
      orderedStops: () => read(inner.orderedStops),
      goodThrough: (job) => read(() => inner.goodThrough(job)),
      outages: () => read(inner.outages),
      events: () => read(inner.events),
      noteOutages: (change) => write(() => inner.noteOutages(change)),
      trim: (before) => write(() => inner.trim(before)),
      claim: (claims) =>
        write(
          () => inner.claim(claims),
          () => claims.forEach(invariantChecker.claimed),
        ),
      forget: (jobs) =>
        write(
          () => inner.forget(jobs),
          () => jobs.forEach(invariantChecker.forgotten),
        ),
      reopen: (key, at) =>
        write(
          () => inner.reopen(key, at),
          (run) => (run === undefined ? undefined : invariantChecker.reopened(key, at)),
        ),
      begin: (keys, at) =>
        write(
          () => inner.begin(keys, at),
          () => invariantChecker.begun(keys, at),
        ),
      noteEnds: (ends) => write(() => inner.noteEnds(ends)),
      end: (ends) =>
        write(
          () => inner.end(ends),
          () => ends.forEach(invariantChecker.ended),
        ),
      close: (closings) =>
        write(
          () => inner.close(closings),
          () => invariantChecker.closed(closings),
        ),
    };
  };

  const quick: Work = { lasts: second, ends: 'ok', stops: 'at once' };
  const failureOf = (ends: WorkEnd): Error =>
    ends === 'passing'
      ? fault('gateway-unreachable', 'no way there')
      : ends === 'lasting'
        ? fault('gateway-key-refused', 'refused')
        : new Error('something broke');

  const execute = (mine: Process, { job, run, signal, dataLate }: Execution): Promise<Outcome> => {
    if (!mine.alive) return new Promise(() => undefined);
    invariantChecker.executed(job, run, dataLate !== undefined);
    const work = isIdle ? quick : (plan.works[played % plan.works.length] ?? quick);
    played += 1;
    return new Promise((resolve, reject) => {
      let due = work.ends === 'never' ? Number.POSITIVE_INFINITY : time.passed() + work.lasts;
      const over = (ends: WorkEnd): void => {
        if (!blocked.delete(one) || !mine.alive) return;
        invariantChecker.worked(run, ends);
        if (ends === 'ok') {
          watermark.set(job.name, Math.max(watermark.get(job.name) ?? 0, run.interval.end));
          resolve({ summary: 'done', figures: {} });
        } else if (ends === 'stopped' || ends === 'timeout') reject(signal.reason as Error);
        else reject(failureOf(ends));
      };
      const stopped = (): void => over(time.passed() - begun >= job.timeout ? 'timeout' : 'stopped');
      const begun = time.passed();
      const one: Held = {
        process: mine,
        due: () => due,
        end: () => (signal.aborted ? stopped() : over(work.ends === 'never' ? 'stopped' : work.ends)),
      };
      blocked.add(one);
      const onAbort = (): void => {
        if (work.stops === 'at once') stopped();
        else if (work.stops === 'later' || due === Number.POSITIVE_INFINITY) due = time.passed() + 3 * second;
      };
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
    });
  };

  const release = (): void => {
    for (const one of blocked) {
      if (!one.process.alive) blocked.delete(one);
      else if (one.due() <= time.passed()) one.end();
    }
  };

  const check = (): void => {
    if (invariantChecker.finds.length === 0) return;
    throw new Error([...invariantChecker.finds, '', ...history.slice(-60)].join('\n'));
  };

  /** A look at clock and ledger, and all that follows from it. */
  const look = async (): Promise<void> => {
    hindered = false;
    release();
    // What has ended is known before the look, not in the middle of it.
    await new Promise(setImmediate);
    const { scheduler } = process;
    if (scheduler !== undefined && process.alive) await settled(scheduler);
    if (scheduler !== undefined && process.alive && !hindered)
      invariantChecker.atRest(
        declared,
        scheduler.openRuns().map(({ run }) => run),
      );
    check();
  };

  const tick = async (step: number): Promise<void> => {
    time.elapse(step);
    for (const one of abortsAfter) {
      one.ticks -= 1;
      if (one.ticks === 0) {
        for (const key of one.key()) aborted.add(key);
        one.controller.abort();
      }
    }
    history.push(`${new Date(clock.now()).toISOString()} tick`);
    await look();
  };

  const start = async (): Promise<void> => {
    const mine: Process = { alive: true, starting: true, calls: 0 };
    process = mine;
    requests.clear();
    aborted.clear();
    abortsAfter.length = 0;
    const options = {
      claimsSlots: true,
      recovers: true,
      jobs: declared,
      maxRunning: plan.maxRunning,
      // Processes are killed far more often than runs succeed.
      suspendAfter: 0,
    };
    mine.scheduler = await createScheduler(
      {
        clock,
        log,
        ledger: ledgerOf(mine),
        execute: (execution) => execute(mine, execution),
        watermark: async (job) => {
          const known = watermark.get(job.name);
          return known === undefined ? undefined : unixMillis(known);
        },
        needsThrough: (_, run) => run.interval.end,
        mailsOf: async () => {
          if (!mine.alive) throw dead();
          return [];
        },
        onRunEnd: () => undefined,
        redact: (text) => text,
      },
      options,
    );
    mine.starting = false;
    history.push(`${new Date(clock.now()).toISOString()} started`);
    await look();
  };

  const kill = async (): Promise<void> => {
    process.alive = false;
    await process.last;
    for (const one of blocked) if (one.process === process) blocked.delete(one);
    // What died with its process ended no more, however it ended.
    for (const row of invariantChecker.rows.values()) delete row.work;
    for (const [promise, owner] of unsettled) if (owner === process) unsettled.delete(promise);
  };

  const edited = (edits: readonly Edit[]): Map<string, Job> => {
    const jobs = new Map(declared);
    for (const { index, change } of edits) {
      const first = plan.jobs[index % plan.jobs.length];
      if (first === undefined) continue;
      const { name } = first;
      const known = jobs.get(name);
      if (change === 'remove') jobs.delete(name);
      else if (change === 'bring back') jobs.set(name, known ?? first);
      else if (known !== undefined) jobs.set(name, { ...known, ...change });
    }
    return jobs;
  };

  const request = (index: number, nth: number | undefined, ticks: number | undefined): void => {
    const job = [...declared.values()][index % Math.max(declared.size, 1)];
    const { scheduler } = process;
    if (job === undefined || scheduler === undefined || !process.alive) return;
    const now = clock.now();
    const slots =
      job.schedule === undefined
        ? [now - 5000, now - 60_000]
        : newestSlots(knownSchedule(job.schedule), job.timezone, now - 400 * day, now, 5);
    const slot = nth === undefined ? undefined : slots[nth % Math.max(slots.length, 1)];
    const end = unixMillis(slot ?? now);
    const start =
      job.schedule === undefined
        ? end
        : newestSlots(knownSchedule(job.schedule), job.timezone, now - 400 * day, end - 1, 1)[0];
    const interval = { start: unixMillis(start ?? end), end };
    const controller = new AbortController();
    const before = new Set(invariantChecker.rows.keys());
    const keys = (): string[] =>
      slot === undefined
        ? [...invariantChecker.rows.values()]
            .filter((row) => row.job === job.name && !before.has(rowKey(row)) && row.trigger === 'hand')
            .map(rowKey)
        : [rowKey({ job: job.name, slot })];
    if (slot !== undefined) {
      const key = rowKey({ job: job.name, slot });
      requests.set(key, (requests.get(key) ?? 0) + 1);
    }
    history.push(
      `${new Date(now).toISOString()} order ${job.name} ${slot === undefined ? '' : new Date(slot).toISOString()}`,
    );
    const mine = process;
    const ordered = scheduler.request({
      job,
      interval,
      trigger: slot === undefined ? 'hand' : 'backfill',
      signal: controller.signal,
      ...(slot === undefined ? {} : { slot: unixMillis(slot) }),
    });
    const settledRequest = ordered
      .then(
        ({ run, already }) => {
          if (already && invariantChecker.rows.get(rowKey(run))?.wasOk !== true)
            invariantChecker.finds.push(`${rowKey(run)}: said to have ended well already`);
        },
        (error: unknown) => {
          const text = String(error);
          if (!isFull && mine.alive && !/no space|stopp|set back|row for many slots/u.test(text))
            invariantChecker.finds.push(`an order ended with ${text}`);
        },
      )
      .finally(() => {
        unsettled.delete(settledRequest);
        if (slot === undefined || process !== mine) return;
        const key = rowKey({ job: job.name, slot });
        requests.set(key, (requests.get(key) ?? 1) - 1);
      });
    unsettled.set(settledRequest, mine);
    if (ticks !== undefined) abortsAfter.push({ ticks: ticks + 1, controller, key: keys });
  };

  const stop = async (grace: number): Promise<void> => {
    const { scheduler } = process;
    if (scheduler === undefined || !process.alive) return;
    const over = new AbortController();
    const stopping = scheduler.stop(grace, { isOrdered: true }).then(() => over.abort());
    for (let turn = 0; ; turn += 1) {
      for (let n = 0; n < 20; n += 1) await new Promise(setImmediate);
      if (over.signal.aborted) break;
      if (turn > 10_000) throw new Error('it does not stop');
      time.elapse(5 * second);
      release();
    }
    await stopping;
    check();
    const left = invariantChecker.open().filter(({ state }) => state === 'running');
    if (left.length > 0 && process.alive) throw new Error(`left running: ${left.map(rowKey).join()}`);
  };

  const adopt = async (jobs: Map<string, Job>): Promise<void> => {
    const { scheduler } = process;
    if (scheduler === undefined || !process.alive) return;
    pending = jobs;
    for (let tries = 0; process.alive; tries += 1) {
      try {
        await scheduler.adopt(jobs, plan.maxRunning);
        break;
      } catch (error) {
        if (tries > 3) throw error;
        await tick(second);
      }
    }
    declared = jobs;
    pending = undefined;
    await look();
  };

  const play = async (action: Action): Promise<void> => {
    history.push(`${new Date(clock.now()).toISOString()} ${JSON.stringify(action)}`);
    if (action.kind === 'ticks') for (let n = 0; n < action.count; n += 1) await tick(action.step);
    else if (action.kind === 'crash') {
      process.dieAt = { call: process.calls + action.call, isDone: action.isDone };
      for (let n = 0; n < 5 && process.alive; n += 1) await tick(action.step);
      await kill();
      time.elapse(action.down);
      declared = edited(action.edits);
    } else if (action.kind === 'stop') {
      await stop(action.grace);
      await kill();
      time.elapse(action.down);
      declared = edited(action.edits);
    } else if (action.kind === 'jump') {
      if (clock.now() + action.by > farthest) return;
      time.jump(action.by);
      if (action.by < 0) invariantChecker.clockWentBack();
      await look();
      if (!action.back) return;
      await tick(second);
      time.jump(-action.by);
      if (action.by > 0) invariantChecker.clockWentBack();
      await look();
    } else if (action.kind === 'reload') {
      time.elapse(action.late);
      release();
      await adopt(edited(action.edits));
    } else if (action.kind === 'order') {
      request(action.index, action.slot, action.abortsAfter);
      await look();
    } else {
      isFull = true;
      for (let n = 0; n < action.ticks; n += 1) await tick(action.step);
      isFull = false;
    }
  };

  const ready = async (): Promise<void> => {
    for (let tries = 0; !process.alive; tries += 1) {
      if (tries > 5) throw new Error('it does not start');
      await start();
    }
  };

  /** No more slots come, and all work is quick: everything that is open ends. */
  const drain = async (): Promise<void> => {
    isIdle = true;
    isFull = false;
    delete process.dieAt;
    await ready();
    const far = { schedule: leapDays.text };
    await adopt(
      new Map(
        [...declared].map(([name, job]) => [name, job.schedule === undefined ? job : { ...job, ...far }]),
      ),
    );
    for (let turn = 0; ; turn += 1) {
      const open = process.scheduler?.openRuns() ?? [];
      if (open.length === 0 && unsettled.size === 0) return;
      if (turn > 4000)
        throw new Error(
          `open for ever: ${JSON.stringify(open, undefined, 1)}\n${history.slice(-60).join('\n')}`,
        );
      const moments = [
        ...[...blocked].map(({ due }) => due() - time.passed()),
        time.nextLimit(),
        ...open.map(({ run }) => (run.nextAttempt ?? 0) - clock.now()),
        ...open.map(({ run }) => run.claimedAt + (declared.get(run.job)?.needsDeadline ?? 0) - clock.now()),
      ].filter((wait) => wait > 0 && wait < day);
      await tick(Math.min(600 * second, ...moments));
    }
  };

  await ready();
  for (const action of plan.actions) {
    await ready();
    await play(action);
    check();
  }
  await drain();
  check();
  await compare(invariantChecker, inner);
  return invariantChecker;
};

/** The ledger holds what was seen to be written, row by row, with an attempt for each time that the work was begun. */
const compare = async (invariantChecker: InvariantChecker, ledger: RunLedger): Promise<void> => {
  const runs = await ledger.list({ limit: 10_000_000 });
  const attempts = new Map<string, number>();
  for (const attempt of await ledger.attempts(runs)) {
    if (attempt.state === 'running') throw new Error(`${rowKey(attempt)}: an attempt never ended`);
    attempts.set(rowKey(attempt), (attempts.get(rowKey(attempt)) ?? 0) + 1);
  }
  const shown = (row: {
    job: string;
    slot: number;
    state: string;
    attempts: number;
    through?: number | undefined;
  }): string => `${rowKey(row)} ${row.through ?? ''} ${row.state} ${row.attempts}`;
  const got = runs.map(shown).toSorted();
  const expected = [...invariantChecker.rows.values()].map(shown).toSorted();
  const [gotSet, expectedSet] = [new Set(got), new Set(expected)];
  const strange = [
    ...got.filter((one) => !expectedSet.has(one)),
    '--',
    ...expected.filter((one) => !gotSet.has(one)),
  ];
  if (got.join('\n') !== expected.join('\n')) throw new Error(`the ledger differs: ${strange.join('\n')}`);
  for (const run of runs) {
    if (run.attempts !== (attempts.get(rowKey(run)) ?? 0))
      throw new Error(`${rowKey(run)}: attempts are missing`);
    if (run.state !== 'ok' && run.reason === undefined)
      throw new Error(`${rowKey(run)}: ${run.state} without a reason`);
  }
  const open = [...invariantChecker.rows.values()].filter(isOpenRow);
  if (open.length > 0) throw new Error(`still open: ${open.map(rowKey).join()}`);
};
