import type { UnixMillis } from '../../core/index.ts';
import { creationTime } from './key-state.ts';
import type { SurveyedKey } from '../service-types.ts';
import { ageOf } from './select.ts';

/** Why nothing is done with a key that a job is about. */
export type SkipReason =
  | 'not-due'
  | 'older-generation'
  | 'unfinished'
  | 'in-rotation'
  | 'age-unknown'
  | 'outside-window'
  | 'over-limit'
  | 'min-remaining'
  | 'name-not-unique'
  | 'generation-not-unique'
  | 'current-unknown'
  | 'sink-unusable'
  | 'not-ours'
  | 'service-unusable'
  | 'name-too-long'
  | 'disabled'
  | 'expired'
  | 'exhausted'
  | 'revived'
  | 'retired'
  | 'retained'
  | 'used'
  | 'current'
  | 'clock-skew'
  | 'unreadable'
  | 'log-incomplete'
  | 'inventory-incomplete';

export type SkippedKey = {
  readonly keyId: number;
  readonly name: string;
  readonly service: string;
  readonly generation: number;
  /** Milliseconds; missing where the gateway does not tell. */
  readonly age?: number | undefined;
  readonly reason: SkipReason;
  /** Why, and what to do where something can be done. */
  readonly message: string;
};

/** What goes its usual way, so that nobody needs to hear of it. */
const asDefault: ReadonlySet<SkipReason> = new Set([
  'not-due',
  'older-generation',
  'unfinished',
  'in-rotation',
  'retired',
]);

export const needsAttention = ({ reason }: SkippedKey): boolean => !asDefault.has(reason);

export const skippedKey = (
  surveyed: SurveyedKey,
  now: UnixMillis,
  reason: SkipReason,
  message: string,
): SkippedKey => {
  const age = ageOf(surveyed, now);
  const { key, service, generation } = surveyed;
  return {
    keyId: key.id,
    name: key.name,
    service,
    generation,
    age,
    reason,
    message,
  };
};

const createdOf = ({ key }: SurveyedKey): number => creationTime(key) ?? Number.MAX_SAFE_INTEGER;

/** The oldest first; of the same second the one that was made first. */
export const oldestFirst = (keys: readonly SurveyedKey[]): SurveyedKey[] =>
  [...keys].sort((left, right) => createdOf(left) - createdOf(right) || left.key.id - right.key.id);
