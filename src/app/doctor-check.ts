import { describeError, isFault } from '../base/index.ts';
import type { DoctorCheck } from '../server/index.ts';

export const passed = (about: string, said: string): DoctorCheck => ({ about, state: 'ok', said });

export const skipped = (about: string, said: string): DoctorCheck => ({ about, state: 'skipped', said });

/** What was thrown, with what to do where that is known. */
export const failed = (about: string, error: unknown): DoctorCheck =>
  isFault(error)
    ? { about, state: 'failed', said: error.message, advice: error.advice, code: error.code }
    : { about, state: 'failed', said: describeError(error).split('\n')[0] ?? '' };
