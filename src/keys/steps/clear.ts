import type { Attempt } from '../model/rotation.ts';
import { clearKey } from '../retirement/clear-key.ts';
import { neverCalled, type OfAttempt, type Step } from './step.ts';

/** The key exists, and no sink can hold it. */
export const isUndelivered = ({ state }: Attempt): boolean => state === 'made' || state === 'verified';

/** Ends a key that no sink can hold. */
export const clear: Step<OfAttempt> = {
  name: 'clear',
  due: ({ attempt, view, isUnusable }) =>
    (attempt.state === 'clearing' && attempt.keyId !== undefined) ||
    (attempt.state === 'lost' && view.orphanOf(attempt) !== undefined) ||
    (isUnusable && isUndelivered(attempt)),
  run: ({ cycle }, { rotation, attempt, view }) =>
    clearKey(
      cycle,
      rotation,
      attempt,
      attempt.keyId ?? view.orphanOf(attempt) ?? neverCalled(`the key of ${attempt.name}`),
    ),
};
