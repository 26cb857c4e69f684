import { parseDuration, type YamlPath } from '../../core/index.ts';
import { quoted } from './check.ts';
import type { ConfigFault } from '../load/config-fault.ts';
import type { DeclaredJob } from '../load/read-jobs.ts';
import { valueAt } from '../schema/schema-walk.ts';

/** Available recipients of notices; a field is omitted when tollkeeper.yaml is not readable so far. */
export type Recipients = { readonly hasMail?: boolean; readonly hasOperators?: boolean };

/** Only written values are checked: a default is never at fault. */
const writtenAt = (job: DeclaredJob, path: YamlPath): unknown =>
  job.part.isBroken([...job.part.path, ...path]) ? undefined : valueAt(job.part.resolved, path);

const isWritten = (job: DeclaredJob, key: string): boolean => valueAt(job.part.resolved, [key]) !== undefined;

const durationAt = (job: DeclaredJob, path: YamlPath): number | undefined => {
  const text = writtenAt(job, path);
  return typeof text === 'string' ? parseDuration(text) : undefined;
};

const listAt = (job: DeclaredJob, key: string): readonly unknown[] | undefined => {
  const value = writtenAt(job, [key]);
  return Array.isArray(value) ? value : undefined;
};

const onKey = (job: DeclaredJob, path: YamlPath, message: string, advice: string): ConfigFault => ({
  file: job.part.source.file,
  ...job.part.source.atKey([...job.part.path, ...path]),
  message,
  advice,
});

/** Slot policies, on a job without slots. */
const slotPolicies = ['day_match', 'catchup', 'catchup_window', 'max_catchup_runs', 'randomized_delay'];

const withoutSchedule = (job: DeclaredJob): ConfigFault[] =>
  slotPolicies
    .filter((key) => isWritten(job, key))
    // On a job without slots these values change nothing.
    .filter((key) => writtenAt(job, [key]) !== 'none' && durationAt(job, [key]) !== 0)
    .map((key) =>
      onKey(
        job,
        [key],
        `job ${job.name} has no schedule, so ${key} has no effect`,
        `add a schedule, or remove ${key}; to pause a job, keep its schedule and set suspend: true`,
      ),
    );

const catchupFaults = (job: DeclaredJob): ConfigFault[] => {
  const catchup = writtenAt(job, ['catchup']);
  const faults: ConfigFault[] = [];
  if (isWritten(job, 'catchup_window') && catchup === 'none')
    faults.push(
      onKey(
        job,
        ['catchup_window'],
        `job ${job.name} does not catch up slots (catchup: none), so catchup_window has no effect`,
        'remove catchup_window, or write catchup: latest or catchup: all',
      ),
    );
  if (
    isWritten(job, 'max_catchup_runs') &&
    (catchup === undefined || catchup === 'none' || catchup === 'latest')
  )
    faults.push(
      onKey(
        job,
        ['max_catchup_runs'],
        `job ${job.name} catches up ${catchup === 'none' ? 'nothing' : 'the latest slot alone'} (catchup: ${catchup ?? 'latest'}), so max_catchup_runs has no effect`,
        'remove max_catchup_runs, or write catchup: all',
      ),
    );
  return faults;
};

/** The first duration must not exceed the second; reports the first. */
const longer = (
  job: DeclaredJob,
  first: YamlPath,
  second: YamlPath,
  why: string,
  advice: string,
): ConfigFault[] => {
  const [left, right] = [durationAt(job, first), durationAt(job, second)];
  if (left === undefined || right === undefined || left <= right) return [];
  const shown = (path: YamlPath): string => quoted(job.part, [...job.part.path, ...path]);
  return [
    {
      file: job.part.source.file,
      ...job.part.source.at([...job.part.path, ...first]),
      message: `jobs.${job.name}.${first.join('.')} (${shown(first)}) is longer than ${second.join('.')} (${shown(second)}): ${why}`,
      advice,
    },
  ];
};

const needsFaults = (job: DeclaredJob): ConfigFault[] => {
  const needs = valueAt(job.part.resolved, ['needs']);
  if (needs !== undefined && !(Array.isArray(needs) && needs.length === 0)) return [];
  return ['needs_deadline', 'when_late']
    .filter((key) => isWritten(job, key))
    .map((key) =>
      onKey(
        job,
        [key],
        `job ${job.name} needs no other job, so ${key} has no effect`,
        `list the jobs it waits for in needs, or remove ${key}`,
      ),
    );
};

const noticeFaults = (job: DeclaredJob, recipients: Recipients): ConfigFault[] => {
  const notify = listAt(job, 'notify');
  const to = isWritten(job, 'notify_to');
  if (notify?.length === 0)
    return to
      ? [
          onKey(
            job,
            ['notify_to'],
            `job ${job.name} sends no notifications (notify is empty), so notify_to has no effect`,
            'remove notify_to, or list events in notify: failed, late, missed, recovered',
          ),
        ]
      : [];
  const key = notify === undefined ? (to ? 'notify_to' : undefined) : 'notify';
  if (key === undefined) return [];
  if (recipients.hasMail === false)
    return [
      onKey(
        job,
        [key],
        `job ${job.name} sends notifications by mail, but tollkeeper.yaml has no mail server`,
        'add mail: { smtp: "${SMTP_URL}", from: you@example.com } to tollkeeper.yaml',
      ),
    ];
  if (to || recipients.hasOperators !== false) return [];
  return [
    onKey(
      job,
      [key],
      `job ${job.name} sends notifications by mail, but has no recipients`,
      'add operators: [you@example.com] under mail in tollkeeper.yaml, or notify_to to the job',
    ),
  ];
};

/** Policies that contradict each other, or have no effect. */
export const policyFaults = (job: DeclaredJob, recipients: Recipients): ConfigFault[] => {
  if (job.shape === undefined) return [];
  return [
    ...(isWritten(job, 'schedule') ? catchupFaults(job) : withoutSchedule(job)),
    ...longer(
      job,
      ['retries', 'initial'],
      ['retries', 'max'],
      'no wait is longer than max',
      'decrease initial or increase max',
    ),
    ...longer(
      job,
      ['randomized_delay'],
      ['starting_deadline'],
      'a run with such a delay is missed before it starts',
      'decrease randomized_delay or increase starting_deadline; both count from the slot',
    ),
    // For jobs that archive.
    ...longer(
      job,
      ['settle'],
      ['retain'],
      'a month cannot leave the table before it is archived',
      'decrease settle or increase retain; both count from the end of the month',
    ),
    ...needsFaults(job),
    ...noticeFaults(job, recipients),
  ];
};
