import { fault } from '../../core/index.ts';
import type { FoundKey } from './find.ts';
import type { KeyWork } from './key-work.ts';
import type { KeyJob } from './planner.ts';

export const refuseOverwriting = (
  { planner, now }: KeyWork,
  job: KeyJob,
  service: string,
  keys: readonly FoundKey[],
): void => {
  const other = planner.overwrites(job.name, service, { at: now(), keys });
  if (other === undefined) return;
  throw fault(
    'wrong-use',
    `job ${job.name} cannot deliver a key of ${service}: it would overwrite the key of ${other}, which is delivered to the same location`,
    {
      advice: `specify a job that delivers ${service} to a location of its own, or declare one, such as with {service} in the path or name under \`deliver\``,
    },
  );
};
