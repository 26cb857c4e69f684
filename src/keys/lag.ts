import { hourMillis } from '../core/index.ts';

/**
 * The largest age, in milliseconds, of the end of evidence from the call log that needs `quiet` milliseconds without a call: a later use of the key
 * is not visible yet.
 */
export const maxLag = (quiet: number): number => Math.max(2 * hourMillis, quiet / 12);
