import { fault, isProgram, type Deps } from '../core/index.ts';
import type { Config } from '../config/index.ts';
import type { RotateSettings } from '../jobs/index.ts';
import type { DoctorCheck } from './doctor-view.ts';
import { failed, passed, skipped } from './results.ts';

type Where = Pick<Deps, 'cwd' | 'env'>;

/** Looks for the program that tells consumers of a new key: it is run after the cutover, which is late to find that it is missing. */
export const checkThen = (account: string, jobs: Config['jobs'], where: Where): readonly DoctorCheck[] =>
  Object.values(jobs).flatMap((job) => {
    if (job.kind !== 'rotate-keys' || job.account !== account || job.suspend) return [];
    // The config has parsed the fields with the shape of this kind.
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
