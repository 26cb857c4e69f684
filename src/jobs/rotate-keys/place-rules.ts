import { isFault } from '../../core/index.ts';
import type { KindFault, RuledJob } from '../../config/index.ts';
import { placesClash, type SinkSpec } from '../../keys/index.ts';
import { commonName } from './name-patterns.ts';
import type { RotateSettings } from './rotate-shape.ts';

/** Relative paths may resolve from any folder: only equality of two places matters. */
const anywhere = '/';

/** Places that several of the services, or several sinks of one, share. */
export const clashes = (services: Parameters<typeof placesClash>[0]): ReturnType<typeof placesClash> => {
  try {
    return placesClash(services, anywhere);
  } catch (error) {
    // The factory of the sink reports a name that fits no place.
    if (isFault(error)) return [];
    throw error;
  }
};

export const rotateOf = (job: RuledJob): RotateSettings | undefined =>
  job.kind === 'rotate-keys' ? (job.fields as RotateSettings | undefined) : undefined;

/** A job may cover several services unless it names one. */
const patternOf = ({ keys }: RotateSettings): string => keys.name ?? '*';

const sinksAt = (job: RuledJob, service: string, sinks: readonly SinkSpec[]) => ({
  account: job.account,
  service,
  sinks,
});

/** Each service needs its own places, and each sink one. */
const ownFaults = (job: RuledJob, settings: RotateSettings): KindFault[] => {
  const sinks = settings.deliver ?? [];
  const isMany = patternOf(settings).includes('*');
  return sinks.flatMap((sink, index): KindFault[] => {
    const path = ['deliver', index];
    const shared = clashes([sinksAt(job, 'one', [sink]), sinksAt(job, 'two', [sink])]);
    if (isMany && shared.length > 0)
      return [
        {
          path,
          message: `is the same location for all services that keys (name: ${JSON.stringify(patternOf(settings))}) may select: one would get the key of another`,
          advice: 'use {service} in its path or name, or select a single service by its full name',
        },
      ];
    return clashes([sinksAt(job, 'one', [...sinks.slice(0, index), sink])]).length >
      clashes([sinksAt(job, 'one', sinks.slice(0, index))]).length
      ? [
          {
            path,
            message: 'is the location of another sink of this job',
            advice: 'remove one of them, or give each a location of its own',
          },
        ]
      : [];
  });
};

const sampleOf = (pattern: string): string => pattern.replaceAll('*', 'x');

/** No two jobs may write to one place. */
const neighbourFaults = (job: RuledJob, settings: RotateSettings, all: readonly RuledJob[]): KindFault[] => {
  const own = settings.deliver ?? [];
  const [index] = [all.findIndex((other) => other === job)];
  return all.slice(0, index).flatMap((other): KindFault[] => {
    const theirs = rotateOf(other);
    if (theirs?.deliver === undefined) return [];
    const [mine, yours] = [patternOf(settings), patternOf(theirs)];
    const common = commonName(mine, yours);
    const [left, right] =
      common === undefined ? [sampleOf(mine), sampleOf(yours)] : [common || 'x', common || 'x'];
    const shared = own.findIndex(
      (sink) =>
        clashes([
          { account: other.account, service: right, sinks: theirs.deliver ?? [] },
          sinksAt(job, left, [sink]),
        ]).length > clashes([{ account: other.account, service: right, sinks: theirs.deliver ?? [] }]).length,
    );
    return shared < 0
      ? []
      : [
          {
            path: ['deliver', shared],
            message: `is a location that job ${other.name} also delivers to: one would overwrite the key of the other`,
            advice: 'change the selection of one of the jobs, or give each a location of its own',
          },
        ];
  });
};

export const placeFaults = (
  job: RuledJob,
  settings: RotateSettings,
  all: readonly RuledJob[],
): readonly KindFault[] => [...ownFaults(job, settings), ...neighbourFaults(job, settings, all)];
