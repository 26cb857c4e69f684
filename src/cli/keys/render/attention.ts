import { dayMillis } from '../../../core/index.ts';
import { oldUnusedText, oldUseText, type KeyView } from '../../../app/index.ts';
import type { Style } from '../../ui/paint.ts';
import { describeTries } from '../../ui/rotation-messages.ts';
import { describeDuration } from '../../ui/messages.ts';

export type Attention = {
  /** Lower is more urgent. */
  readonly rank: number;
  readonly style: Style;
  readonly message: string;
};

/** Milliseconds before its expiry from which a key is shown as ending. */
const soon = 30 * dayMillis;

/** Progress towards the rotation or end, 1 when due; undefined without an age or a goal. */
export const progressOf = (key: KeyView, now: number): number | undefined => {
  if (key.created === undefined) return undefined;
  const born = key.created * 1000;
  const goals = [
    ...(key.every === undefined ? [] : [born + key.every]),
    ...(typeof key.expires === 'string' ? [] : [key.expires * 1000]),
  ];
  const goal = Math.min(...goals);
  if (goals.length === 0) return undefined;
  return goal <= born ? 1 : Math.min(1, Math.max(0, (now - born) / (goal - born)));
};

const isNothing = (amount: string): boolean => amount.startsWith('-') || /^0*(\.0*)?$/.test(amount);

const ofRotation = ({ rotation }: KeyView, now: number): readonly Attention[] => {
  if (rotation === undefined) return [];
  const { stage, message, escalated, isHeldByPlace } = rotation;
  if (stage === 'waiting') return [{ rank: 0, style: 'bad', message: `action required: ${message}` }];
  if (escalated === true) return [{ rank: 0, style: 'bad', message: `past its time: ${message}` }];
  if (isHeldByPlace === true) return [{ rank: 0, style: 'bad', message: `action required: ${message}` }];
  const tries = describeTries(rotation, now);
  if (tries !== undefined)
    return [{ rank: 1, style: 'bad', message: `rotation (${stage}): ${message} (${tries})` }];
  return [{ rank: 8, style: 'busy', message: `rotation (${stage}): ${message}` }];
};

/** The use of the old key in the last notification to its owner. */
const ofOldUse = ({ keyId, rotation }: KeyView, zone: string): readonly Attention[] => {
  const { oldUse } = rotation ?? {};
  if (oldUse?.keyId !== keyId) return [];
  return [
    oldUse.use.calls === 0
      ? {
          rank: 7,
          style: 'quiet',
          message: oldUnusedText({ ...oldUse, lastCall: oldUse.use.lastCall }, zone),
        }
      : { rank: 5, style: 'warn', message: oldUseText(oldUse, zone) },
  ];
};

const ofExpiry = ({ expires }: KeyView, now: number): readonly Attention[] => {
  if (typeof expires === 'string') return [];
  const left = expires * 1000 - now;
  if (left <= 0) return [{ rank: 2, style: 'bad', message: `expired ${describeDuration(-left)} ago` }];
  return left <= soon ? [{ rank: 5, style: 'warn', message: `expires in ${describeDuration(left)}` }] : [];
};

const ofAge = ({ every, created, rotation, job }: KeyView, now: number): readonly Attention[] => {
  if (every === undefined || created === undefined || rotation !== undefined) return [];
  const over = now - created * 1000 - every;
  return over < 0
    ? []
    : [
        {
          rank: 6,
          style: 'warn',
          message: `due for rotation by ${job ?? 'its job'} since ${describeDuration(over)}`,
        },
      ];
};

/** Most urgent first. `zone`: of times. */
export const attentionOf = (key: KeyView, now: number, zone: string): readonly Attention[] => {
  const found: readonly Attention[] = [
    ...ofRotation(key, now),
    ...ofOldUse(key, zone),
    ...(key.retained === undefined
      ? []
      : [
          {
            rank: 1,
            style: 'bad' as const,
            message: `created but never delivered, retained for now: ${key.retained}; \`tollkeeper keys expire id:${key.keyId}\` expires it`,
          },
        ]),
    ...ofExpiry(key, now),
    ...Object.entries(key.unreadable ?? {}).map(([name, value]) => ({
      rank: 3,
      style: 'bad' as const,
      message: `${name} is unknown: the gateway reports ${value}`,
    })),
    ...(!key.unlimitedQuota && key.unreadable?.['remain_quota'] === undefined && isNothing(key.remainQuota)
      ? [{ rank: 3, style: 'bad' as const, message: 'quota exhausted' }]
      : []),
    ...(key.sameName.length === 0
      ? []
      : [
          {
            rank: 4,
            style: 'warn' as const,
            message: `name collision with ID ${key.sameName.join(', ')}: their calls cannot be distinguished`,
          },
        ]),
    ...ofAge(key, now),
    ...(key.use?.calls === 0
      ? [{ rank: 7, style: 'quiet' as const, message: 'no calls in this time range' }]
      : []),
  ];
  return found.toSorted((left, right) => left.rank - right.rank);
};

const calm = 9;

/** Keys that need a person first, then by time to their end, then by name. */
export const byAttention = (keys: readonly KeyView[], now: number, zone: string): readonly KeyView[] => {
  const weighed = keys.map((key) => ({
    key,
    rank: attentionOf(key, now, zone)[0]?.rank ?? calm,
    progress: progressOf(key, now) ?? -1,
  }));
  return weighed
    .toSorted(
      (left, right) =>
        left.rank - right.rank ||
        right.progress - left.progress ||
        left.key.name.localeCompare(right.key.name, 'en') ||
        left.key.keyId - right.key.keyId,
    )
    .map(({ key }) => key);
};
