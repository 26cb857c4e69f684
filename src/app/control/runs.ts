import { fault, formatSlot, type Clock, type UnixMillis } from '../../core/index.ts';
import type { Config, Job } from '../../config/index.ts';
import type { CommandHandlers, ContextOf } from '../../control/index.ts';
import { nextSlot, nextSlots, scheduleOf } from '../../scheduler/index.ts';
import type { RunView } from '../../web/index.ts';
import { unknownJob } from '../accounts/good-config.ts';
import type { App } from '../compose.ts';
import { backfillRuns, intervalOf, slotOf } from '../queries/backfill.ts';
import { resultOf, runViews, type RunResult } from './run-result.ts';

export type NextSlot = { readonly job: string; readonly slot: UnixMillis; readonly zone: string };

export type BackfillStep = { readonly result: RunResult; readonly done: number; readonly total: number };

export type BackfillCounts = {
  readonly slots: number;
  readonly ok: number;
  readonly already: number;
  readonly failed: number;
};

const never = new AbortController().signal;

/** @throws Fault `job-unknown` */
const jobOf = ({ jobs }: Config, name: string): Job => {
  const job = jobs[name.normalize('NFC')];
  if (job === undefined) throw unknownJob(name, Object.keys(jobs));
  return job;
};

export const createRunHandlers = ({ clock, app }: { readonly clock: Clock; readonly app: App }) => {
  const { scheduler, warehouse } = app;
  return {
    next: async ({ job: name, count }): Promise<readonly NextSlot[]> => {
      const now = clock.now();
      const config = app.config();
      const firsts = (name === undefined ? Object.values(config.jobs) : [jobOf(config, name)]).flatMap(
        (job) => {
          const schedule = scheduleOf(job);
          const slot = schedule === undefined || job.suspend ? undefined : nextSlot(schedule, now);
          return schedule === undefined || slot === undefined ? [] : [{ job, schedule, slot }];
        },
      );
      const inOrder = (left: { slot: UnixMillis }, right: { slot: UnixMillis }) => left.slot - right.slot;
      // Only jobs whose first slot is among the earliest can have one of the earliest slots.
      return firsts
        .toSorted(inOrder)
        .slice(0, count)
        .flatMap(({ job, schedule }): NextSlot[] =>
          nextSlots(schedule, now, count).map((slot) => ({ job: job.name, slot, zone: job.timezone })),
        )
        .toSorted(inOrder)
        .slice(0, count);
    },
    runs: async ({ job, limit }): Promise<readonly RunView[]> => {
      if (job !== undefined && (await warehouse.runs.list({ job, limit: 1 })).length === 0)
        jobOf(app.config(), job);
      return runViews(app, await warehouse.runs.list({ job, limit }));
    },
    plan: async (request): Promise<readonly string[]> => {
      using runtime = app.lease();
      const job = jobOf(runtime.config, request.job);
      const now = clock.now();
      if (!('from' in request)) {
        const slot = request.slot === undefined ? now : slotOf(request.slot, job, now);
        return await runtime.plan(job, { slot, interval: intervalOf(job, slot), trigger: 'hand' }, never);
      }
      const lines: string[] = [];
      for (const { slot, interval } of backfillRuns(job, request, now)) {
        const plan = () => runtime.plan(job, { slot: slot ?? now, interval, trigger: 'backfill' }, never);
        if (slot === undefined) return await plan();
        const known = await warehouse.runs.find({ job: job.name, slot });
        const shown = formatSlot(slot, job.timezone);
        if (known?.state === 'ok') lines.push(`slot ${shown}: already ran; nothing to do`);
        else lines.push(...(await plan()).map((line) => `slot ${shown}: ${line}`));
      }
      return lines.length === 0 ? ['the job has no slot in this time range'] : lines;
    },
    run: async (request, { progress, signal }): Promise<RunResult> => {
      const job = jobOf(app.config(), request.job);
      const now = clock.now();
      const slot = request.slot === undefined ? undefined : slotOf(request.slot, job, now);
      const requested = await scheduler.request({
        job,
        slot,
        interval: intervalOf(job, slot ?? now),
        trigger: 'hand',
        progress,
        signal,
      });
      return resultOf(app, requested, signal);
    },
    backfill: async (
      request,
      { progress, onResult, signal }: ContextOf<'results', BackfillStep>,
    ): Promise<BackfillCounts> => {
      const job = jobOf(app.config(), request.job);
      if (request.acceptEmpty === true && job.kind !== 'pull-logs')
        throw fault(
          'wrong-use',
          `--accept-empty is for jobs of the kind pull-logs; ${job.name} is ${job.kind}`,
        );
      const runs = backfillRuns(job, request, clock.now());
      const counts = { slots: runs.length, ok: 0, already: 0, failed: 0 };
      for (const [index, { slot, interval }] of runs.entries()) {
        signal.throwIfAborted();
        progress({
          step: `slot of ${job.name}`,
          done: index + 1,
          total: runs.length,
          detail: formatSlot(slot ?? clock.now(), job.timezone),
        });
        const requested = await scheduler.request({
          job,
          slot,
          interval,
          trigger: 'backfill',
          acceptEmpty: request.acceptEmpty,
          progress,
          signal,
        });
        const result = await resultOf(app, requested, signal);
        counts[requested.already ? 'already' : result.run.state === 'ok' ? 'ok' : 'failed'] += 1;
        onResult({ result, done: index + 1, total: runs.length });
      }
      return counts;
    },
  } satisfies Partial<CommandHandlers>;
};
