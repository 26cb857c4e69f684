import { fault, isProgram, type Deps } from '../core/index.ts';
import type { Config } from '../config/index.ts';
import type { RotateSettings } from '../jobs/index.ts';
import type { DoctorCheck } from './doctor-view.ts';
import { failed, passed, skipped } from './results.ts';

type Where = Pick<Deps, 'cwd' | 'env'>;

/** Checks that the program exists that notifies consumers of a new key: a rotation would miss it only after the cutover. */
export const checkThen = (account: string, jobs: Config['jobs'], where: Where): readonly DoctorCheck[] =>
  Object.values(jobs).flatMap((job) => {
    if (job.kind !== 'rotate-keys' || job.account !== account || job.suspend) return [];
    // The schema of this job kind has parsed the fields.
    const [program] = (job.fields as RotateSettings).then?.argv ?? [];
    if (program === undefined) return [];
    const about = `then of ${job.name}`;
    const named = program.replaceAll('{account}', account);
    if (named.includes('{service}')) return [skipped(about, `the program ${program} depends on the service`)];
    if (isProgram(named, where)) return [passed(about, `${named} exists; it was not run`)];
    return [
      failed(
        about,
        fault('command-failed', `${named} is not an executable program`, {
          advice:
            'use the absolute path of a program that is installed where Tollkeeper runs; the image of Tollkeeper contains neither systemctl nor docker',
        }),
      ),
    ];
  });
