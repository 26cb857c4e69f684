import { describeError, isFault } from '../core/index.ts';
import type { DoctorCheck } from './doctor-view.ts';

export const passed = (about: string, message: string): DoctorCheck => ({ about, state: 'ok', message });

export const skipped = (about: string, message: string): DoctorCheck => ({
  about,
  state: 'skipped',
  message,
});

export const failed = (about: string, error: unknown): DoctorCheck =>
  isFault(error)
    ? { about, state: 'failed', message: error.message, advice: error.advice, code: error.code }
    : { about, state: 'failed', message: describeError(error).split('\n')[0] ?? '' };

/** A failure that occurs only once the job applies its plans. */
export const notYet = ({ about, message, advice }: DoctorCheck, job: string): DoctorCheck => ({
  ...skipped(about, `${message}; ${job} only plans (mode: plan)`),
  advice: `before you set \`mode: apply\`: ${advice ?? 'fix it'}`,
});
