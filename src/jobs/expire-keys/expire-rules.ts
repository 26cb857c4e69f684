import type { KindFault, RuledJob } from '../../config/index.ts';
import { maxLag } from '../../keys/index.ts';
import { sourceJobs, evidenceFaults } from '../keys/evidence-rules.ts';
import type { ExpireSettings } from './expire-shape.ts';
import { writtenDuration } from '../keys/written-duration.ts';

const stageFaults = ({ stages, by }: ExpireSettings): KindFault[] => {
  const named = [
    ['warn', stages.warn],
    ['expire', stages.expire],
    ['delete', stages.delete],
  ] as const;
  const given = named.flatMap(([name, at]) => (at === undefined ? [] : [{ name, at }]));
  const faults = given.slice(1).flatMap(({ name, at }, index): KindFault[] => {
    const before = given[index];
    return before === undefined || at > before.at
      ? []
      : [
          {
            path: ['stages', name],
            message: `(${writtenDuration(at)}) is not later than ${before.name} (${writtenDuration(before.at)})`,
            advice: 'the stages are warn, expire and delete, in this order, each later than the previous one',
          },
        ];
  });
  return by.every((clock) => clock === 'expired') && stages.expire !== undefined
    ? [
        ...faults,
        {
          path: ['stages', 'expire'],
          message: 'has no effect: by: expired counts from the time at which a key expired',
          advice: 'remove it',
        },
      ]
    : faults;
};

export const expireFaults = (job: RuledJob, all: readonly RuledJob[]): readonly KindFault[] => {
  const settings = job.kind === 'expire-keys' ? (job.fields as ExpireSettings | undefined) : undefined;
  if (settings === undefined) return [];
  const { stages, by, quiet, even_if_used: evenIfUsed } = settings;
  const ends = stages.expire !== undefined || stages.delete !== undefined;
  const counts = by.some((clock) => clock === 'idle' || clock === 'exhausted');
  const proves = ends && !evenIfUsed;
  return [
    ...stageFaults(settings),
    ...(counts || proves
      ? evidenceFaults(job, all, {
          path: [],
          quiet,
          lagging: maxLag(quiet),
          what: 'or use by: age or by: expired with even_if_used: true, which ends keys whether used or not',
        })
      : []),
    ...(proves && sourceJobs(job, all, 'snapshot').every(({ hasSchedule }) => !hasSchedule)
      ? [
          {
            path: [],
            message: `needs an inventory of the key names, and no snapshot job of the account ${job.account} records it on a schedule`,
            advice: 'declare one: snapshot: { kind: snapshot, schedule: "37 * * * *" }',
            ofAbsence: true,
          },
        ]
      : []),
  ];
};
