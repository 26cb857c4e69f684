import type { KindFault, RuledJob } from '../../config/index.ts';
import { maxLag } from '../../keys/index.ts';
import { bringing, evidenceFaults } from '../keys/evidence-rules.ts';
import type { ExpireSettings } from './expire-shape.ts';
import { writtenRange } from '../keys/written-range.ts';

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
            message: `(${writtenRange(at)}) is no later than ${before.name} (${writtenRange(before.at)})`,
            advice: 'stages go on from warn to expire to delete, each later than the one before it',
          },
        ];
  });
  return by.every((clock) => clock === 'expired') && stages.expire !== undefined
    ? [
        ...faults,
        {
          path: ['stages', 'expire'],
          message: 'has no effect: by: expired counts from when a key has expired already',
          advice: 'remove it',
        },
      ]
    : faults;
};

/** What is wrong with an expire-keys job beyond its shape. */
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
          what: 'or count by age or expired with even_if_used: true, which ends keys used or not',
        })
      : []),
    ...(proves && bringing(job, all, 'snapshot').every(({ hasSchedule }) => !hasSchedule)
      ? [
          {
            path: [],
            message: `needs to know which key bore which name, and no snapshot job of the account ${job.account} keeps that on a schedule`,
            advice: 'declare one: snapshot: { kind: snapshot, schedule: "37 * * * *" }',
            ofAbsence: true,
          },
        ]
      : []),
  ];
};
