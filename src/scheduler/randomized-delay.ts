import { createHash } from 'node:crypto';

/**
 * Milliseconds from 0 up to `most`, always the same for a name: jobs of one slot are spread, and none shifts from day
 * to day.
 */
export const randomizedDelay = (name: string, most: number): number => {
  const hash = createHash('sha256').update(name).digest();
  return Math.floor((hash.readUIntBE(0, 6) / 2 ** 48) * most);
};
