import { describeError, isFault } from '../core/index.ts';
import type { DoctorCheck } from './doctor-view.ts';

export const passed = (about: string, said: string): DoctorCheck => ({ about, state: 'ok', said });

export const skipped = (about: string, said: string): DoctorCheck => ({ about, state: 'skipped', said });

/** What was thrown, with what to do where that is known. */
export const failed = (about: string, error: unknown): DoctorCheck =>
  isFault(error)
    ? { about, state: 'failed', said: error.message, advice: error.advice, code: error.code }
    : { about, state: 'failed', said: describeError(error).split('\n')[0] ?? '' };

/** What fails only once the job applies its plans. */
export const notYet = ({ about, said, advice }: DoctorCheck, job: string): DoctorCheck => ({
  ...skipped(about, `${said}; ${job} only plans (mode: plan)`),
  advice: `before you set \`mode: apply\`: ${advice ?? 'fix it'}`,
});
