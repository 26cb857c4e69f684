import type { Deps, Log, Measure } from '../../core/index.ts';
import { runIdOf, type AroundAttempt } from '../../scheduler/index.ts';
import { startTracing, type TracingSettings } from '../../tracing/index.ts';
import { version } from '../../version.ts';

/** What an app traces; nothing without settings. */
export type AppTracing = AsyncDisposable & {
  readonly measure?: Measure;
  readonly aroundAttempt?: AroundAttempt;
};

/** Traces the attempts and the gateway calls of one app. */
export const openTracing = async (
  settings: TracingSettings | undefined,
  { env, secrets, clock }: Deps,
  log: Log,
): Promise<AppTracing> => {
  if (settings === undefined) return { [Symbol.asyncDispose]: () => Promise.resolve() };
  const tracing = await startTracing(settings, {
    env,
    userAgent: `tollkeeper/${version}`,
    version,
    clock,
    log,
    redact: secrets.redact,
  });
  return {
    measure: tracing.measure,
    aroundAttempt: ({ job, run }, work) =>
      tracing.attempt(
        {
          job: job.name,
          kind: job.kind,
          account: job.account,
          run: runIdOf(run),
          slot: new Date(run.slot).toISOString(),
          attempt: run.attempts,
          trigger: run.trigger,
        },
        work,
        ({ end }) => end,
      ),
    [Symbol.asyncDispose]: tracing[Symbol.asyncDispose],
  };
};

/** One function that gives each measurement to all of them; undefined if there are none. */
export const measureAll = (...measures: readonly (Measure | undefined)[]): Measure | undefined => {
  const given = measures.filter((one) => one !== undefined);
  if (given.length === 0) return undefined;
  return (measurement) => {
    for (const measure of given) measure(measurement);
  };
};
