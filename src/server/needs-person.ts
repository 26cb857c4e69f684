import type { StatusView } from './commands-port.ts';

const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;

/** What needs a person, a line each; nothing when all is well. */
export const needsPerson = ({
  jobs,
  mail,
  config,
}: Pick<StatusView, 'jobs' | 'mail' | 'config'>): readonly string[] => {
  const outages = jobs.filter(({ outageSince }) => outageSince !== undefined).map(({ job }) => job);
  return [
    ...(outages.length === 0
      ? []
      : [`${outages.length === 1 ? 'job' : 'jobs'} in outage: ${outages.join(', ')}`]),
    ...(config.faults.length === 0 ? [] : [`${counted(config.faults.length, 'fault')} in the config`]),
    ...(mail.failed === 0 ? [] : [`${counted(mail.failed, 'mail')} refused`]),
    ...(mail.unknown === 0 ? [] : [`${counted(mail.unknown, 'mail')} of unknown outcome`]),
  ];
};
