import type { UnixMillis } from '../../core/index.ts';
import { creationTime } from './key-state.ts';
import type { SurveyedKey } from '../model/service-types.ts';
import { ageOf } from './select.ts';

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
  /** Milliseconds; undefined if the gateway does not state the creation time. */
  readonly age?: number | undefined;
  readonly reason: SkipReason;
  /** The reason, and what to do if something can be done. */
  readonly message: string;
  /** When the next maintenance window opens, or the last call of a key in use. */
  readonly at?: UnixMillis | undefined;
};

/** Reasons of the normal course, which need no attention. */
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
  at?: UnixMillis,
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
    ...(at === undefined ? {} : { at }),
  };
};

const createdOf = ({ key }: SurveyedKey): number => creationTime(key) ?? Number.MAX_SAFE_INTEGER;

/** The oldest first; within the same second, the lowest id first. */
export const oldestFirst = (keys: readonly SurveyedKey[]): SurveyedKey[] =>
  [...keys].sort((left, right) => createdOf(left) - createdOf(right) || left.key.id - right.key.id);
