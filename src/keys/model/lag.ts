import { hourMillis } from '../../core/index.ts';

/**
 * The largest lag of the complete call log, in milliseconds, for evidence of `quiet` milliseconds without a call: later use of the key is not
 * visible.
 */
export const maxLag = (quiet: number): number => Math.max(2 * hourMillis, quiet / 12);
