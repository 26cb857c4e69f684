import { isFault } from '../base/index.ts';
import type { KindFault, RuledJob } from '../config/index.ts';
import { placesClash } from '../keys/index.ts';
import type { SinkSpec } from '../keys/index.ts';
import type { ExpireSettings } from './expire-shape.ts';
import { commonName } from './name-patterns.ts';
import type { RotateSettings } from './rotate-shape.ts';

const day = 86_400_000;
const hour = 3_600_000;

/** `48h`, `14d`, as it may be written. */
const written = (millis: number): string =>
  millis % day === 0 ? `${millis / day}d` : millis % hour === 0 ? `${millis / hour}h` : `${millis / 60_000}m`;

/** Places count from here: only whether two of them are the same is asked. */
const anywhere = '/';

const clashes = (services: Parameters<typeof placesClash>[0]): ReturnType<typeof placesClash> => {
  try {
    return placesClash(services, anywhere);
  } catch (error) {
    // A name that fits no place is told when a sink is made for it.
    if (isFault(error)) return [];
    throw error;
  }
};

const rotateOf = (job: RuledJob): RotateSettings | undefined =>
  job.kind === 'rotate-keys' ? (job.fields as RotateSettings | undefined) : undefined;

/** What names the services of a job: it may be about several unless it names one. */
const patternOf = ({ keys }: RotateSettings): string => keys.name ?? '*';

const isPulled = (job: RuledJob, all: readonly RuledJob[], kind: string): readonly RuledJob[] =>
  all.filter((other) => other.kind === kind && other.account === job.account && !other.suspended);

/** Evidence of use comes from jobs that bring it, often enough. */
const evidenceFaults = (
  job: RuledJob,
  all: readonly RuledJob[],
  { path, quiet, what }: { readonly path: readonly string[]; readonly quiet: number; readonly what: string },
): KindFault[] => {
  const pulls = isPulled(job, all, 'pull-logs');
  const scheduled = pulls.filter(({ hasSchedule }) => hasSchedule);
  if (scheduled.length === 0)
    return [
      {
        path,
        onKey: true,
        message: `rests on the call log, and no pull-logs job of the account ${job.account} ${pulls.length === 0 ? 'is declared' : 'has a schedule'}`,
        advice: `declare one: pull-logs: { kind: pull-logs, schedule: "7 * * * *", since: 2026-01-01 }; ${what}`,
      },
    ];
  const spaces = scheduled.flatMap((pull) => pull.longestSpace() ?? []);
  const shortest = spaces.length < scheduled.length ? 0 : Math.min(...spaces);
  return shortest <= quiet
    ? []
    : [
        {
          path,
          onKey: true,
          message: `needs a call log that is pulled at least every ${written(quiet)} (quiet), and ${scheduled[0]?.name ?? 'pull-logs'} runs every ${written(shortest)}`,
          advice: 'let the pull run hourly, or make quiet longer',
        },
      ];
};

const spanFaults = ({ retire, overlap, every }: RotateSettings): KindFault[] => {
  const { quiet, max_overlap: most } = retire;
  return [
    ...(every > overlap
      ? []
      : [
          {
            path: ['every'],
            message: `(${written(every)}) is no longer than overlap (${written(overlap)}): the next rotation would be due before the one before it is over`,
            advice: 'make every longer or overlap shorter',
          },
        ]),
    ...(most === undefined || most >= overlap + quiet
      ? []
      : [
          {
            path: ['retire', 'max_overlap'],
            message: `(${written(most)}) is shorter than overlap and quiet together (${written(overlap + quiet)}): no old key could be proven idle by then`,
            advice: `make it ${written(overlap + quiet)} or longer`,
          },
        ]),
  ];
};

const applyFaults = ({ mode, deliver, verify }: RotateSettings): KindFault[] => [
  ...(mode === 'apply' && deliver === undefined
    ? [
        {
          path: ['mode'],
          onKey: true,
          message: 'is apply, and nothing says where the new keys go',
          advice:
            'add deliver: [{ file: { path: "/secrets/{service}.env", variable: GATEWAY_API_KEY } }], or write mode: plan',
        },
      ]
    : []),
  ...(mode === 'apply' && verify === undefined
    ? [
        {
          path: ['mode'],
          onKey: true,
          message: 'is apply, and nothing says how a new key is tried before it is delivered',
          advice: 'add verify: { embeddings: { model: NAME } } with a cheap model, or write mode: plan',
        },
      ]
    : []),
];

const sinksAt = (job: RuledJob, service: string, sinks: readonly SinkSpec[]) => ({
  account: job.account,
  service,
  sinks,
});

/** Each service needs places of its own, and each sink one. */
const placeFaults = (job: RuledJob, settings: RotateSettings): KindFault[] => {
  const sinks = settings.deliver ?? [];
  const isMany = patternOf(settings).includes('*');
  return sinks.flatMap((sink, index): KindFault[] => {
    const path = ['deliver', index];
    const shared = clashes([sinksAt(job, 'one', [sink]), sinksAt(job, 'two', [sink])]);
    if (isMany && shared.length > 0)
      return [
        {
          path,
          message: `is one place for all services that keys (name: ${JSON.stringify(patternOf(settings))}) may select: one would get the key of another`,
          advice: 'write {service} into its path or name, or select one service by its whole name',
        },
      ];
    return clashes([sinksAt(job, 'one', [...sinks.slice(0, index), sink])]).length >
      clashes([sinksAt(job, 'one', sinks.slice(0, index))]).length
      ? [
          {
            path,
            message: 'is the place of another sink of this job',
            advice: 'remove one of them, or give each a place of its own',
          },
        ]
      : [];
  });
};

const sampleOf = (pattern: string): string => pattern.replaceAll('*', 'x');

/** No two jobs write to one place, and no two rotate one service. */
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
            message: `is a place that job ${other.name} delivers to as well: one would overwrite the key of the other`,
            advice: 'let one of the jobs select other keys, or give them places of their own',
          },
        ];
  });
};

/** What is wrong with a rotate-keys job beyond its shape. */
export const rotateFaults = (job: RuledJob, all: readonly RuledJob[]): readonly KindFault[] => {
  const settings = rotateOf(job);
  if (settings === undefined) return [];
  const { retire } = settings;
  return [
    ...applyFaults(settings),
    ...spanFaults(settings),
    ...placeFaults(job, settings),
    ...neighbourFaults(job, settings, all),
    ...(retire.when === 'unused'
      ? evidenceFaults(job, all, {
          path: ['retire'],
          quiet: retire.quiet,
          what: 'or write retire: { when: after-overlap }, which ends old keys used or not',
        })
      : []),
  ];
};

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
            message: `(${written(at)}) is no later than ${before.name} (${written(before.at)})`,
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
          what: 'or count by age or expired with even_if_used: true, which ends keys used or not',
        })
      : []),
    ...(proves && isPulled(job, all, 'snapshot').every(({ hasSchedule }) => !hasSchedule)
      ? [
          {
            path: [],
            message: `needs to know which key bore which name, and no snapshot job of the account ${job.account} keeps that on a schedule`,
            advice: 'declare one: snapshot: { kind: snapshot, schedule: "37 * * * *" }',
          },
        ]
      : []),
  ];
};
