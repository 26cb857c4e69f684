import { hourMillis } from '../core/index.ts';

/**
 * How old the end of a proof of the call log may be, in milliseconds, where so long a time without a call is asked for:
 * within it a key may have been used without our knowing yet.
 */
export const maxLag = (quiet: number): number => Math.max(2 * hourMillis, quiet / 12);
