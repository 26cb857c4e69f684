import type { RotationView } from '../../app/index.ts';
import { describeUntil } from './messages.ts';

type Standing = Pick<RotationView, 'stage' | 'tries' | 'triesAllowed' | 'nextTry'>;

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

/** For a rotation with a failed step: `failed 2 times, 3 tries left, next in 4 min`; undefined for others. */
export const describeTries = (
  { stage, tries, triesAllowed, nextTry }: Standing,
  now: number,
): string | undefined => {
  if (tries === 0 || stage === 'waiting') return undefined;
  const left = triesAllowed === undefined ? undefined : Math.max(0, triesAllowed - tries);
  return [
    `failed ${times(tries)}`,
    ...(left === undefined ? [] : [`${left} ${left === 1 ? 'attempt' : 'attempts'} left`]),
    ...(nextTry === undefined
      ? []
      : [nextTry <= now ? 'next attempt in the coming cycle' : `next ${describeUntil(nextTry, now)}`]),
  ].join(', ');
};
