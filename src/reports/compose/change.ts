import { compareMoney, divideMoney, subtractMoney, zero, type Money } from '../../core/index.ts';
import type { Direction } from '../definition/section-shapes.ts';
import type { Context } from './context.ts';
import { formatPercent, type Locale } from '../../messages/index.ts';
import type { Change, Tone } from './model.ts';

const toneOf = (rise: boolean, good: Direction): Tone => {
  if (good === undefined) return 'neutral';
  return (good === 'up') === rise ? 'good' : 'bad';
};

export const unknownChange: Change = { direction: 'unknown', ratio: null, text: '–', tone: 'neutral' };

/** The change from `before` to `now`; unknown when `before` is zero, or a side is unknown or negative. */
export const changeOf = (
  now: Money | null | undefined,
  before: Money | null | undefined,
  good: Direction,
  locale: Locale,
): Change => {
  if (now === null || now === undefined || before === null || before === undefined) return unknownChange;
  const difference = compareMoney(now, before);
  if (difference === 0)
    return { direction: 'same', ratio: zero, text: formatPercent(zero, locale), tone: 'neutral' };
  const rise = difference > 0;
  const base = compareMoney(before, zero);
  if (base === 0 && rise)
    return { direction: 'new', ratio: null, text: locale.messages.isNew, tone: 'neutral' };
  const ratio = base > 0 ? divideMoney(subtractMoney(now, before), before, 12) : undefined;
  if (ratio === undefined) return unknownChange;
  const text = formatPercent(ratio, locale);
  // A change that rounds to zero has no visible direction.
  if (text.replace('-', '') === formatPercent(zero, locale))
    return { direction: 'same', ratio, text: formatPercent(zero, locale), tone: 'neutral' };
  // What is gone has no figure left to judge: its row is not colored.
  const tone = compareMoney(now, zero) === 0 ? 'neutral' : toneOf(rise, good);
  return {
    direction: rise ? 'up' : 'down',
    ratio,
    text: rise && !text.startsWith('>') ? `+${text}` : text,
    tone,
  };
};

export const compare = (
  now: Money | null,
  before: () => Money | null,
  good: Direction,
  context: Context,
): Change => (context.comparable ? changeOf(now, before(), good, context.locale) : unknownChange);
