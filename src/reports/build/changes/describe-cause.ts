import {
  absoluteMoney,
  addMoney,
  compareMoney,
  subtractMoney,
  zero,
  type Money,
} from '../../../core/index.ts';
import type { CausePart, Contribution, Waterfall } from '../../../monitoring/index.ts';
import { type Locale, formatMoney } from '../../../messages/index.ts';
import { shownChange, type ShownChange, type ShownPart } from './shown-change.ts';
import { showName } from '../names.ts';

/** Longer names would leave no space for the amount beside them. */
const longest = { model: 24, key: 20 };

export const signedMoney = (amount: Money, currency: string, locale: Locale, decimals?: number): string =>
  `${compareMoney(amount, zero) > 0 ? '+' : ''}${formatMoney(amount, currency, locale, decimals)}`;

/** What the part is called within a sentence: `more calls`, `shorter calls`. */
const causeName = ({ factor, amount }: CausePart, { messages }: Locale): string =>
  messages.changes.factors[factor][compareMoney(amount, zero) > 0 ? 'up' : 'down'];

/** The same at the beginning of a line. */
export const causeLabel = (part: CausePart, locale: Locale): string =>
  causeName(part, locale).replace(/^./u, (letter) => letter.toLocaleUpperCase(locale.tag));

/** Model and key of a contribution; names may hold anything. */
export const contributorText = (one: Contribution, { messages }: Locale): string => {
  const { changes, unnamed } = messages;
  const model = showName(one.model, longest.model) || unnamed;
  const key = showName(one.key, longest.key);
  const state = one.isNew ? 'new' : one.isGone ? 'gone' : undefined;
  return changes.contributor(model, key, state);
};

/** Model, key, or model and key of a spike. */
const spikeText = ({ model, key }: EndedSpike, { messages }: Locale): string =>
  model === ''
    ? showName(key, longest.key)
    : messages.changes.contributor(showName(model, longest.model), showName(key, longest.key), undefined);

/** The part that explains most of the change, in its direction; undefined when nothing has changed. */
const mainPart = ({ parts, change }: ShownChange): ShownPart | undefined => {
  const rises = compareMoney(change.amount, zero) > 0;
  const [first] = parts
    .filter(({ part: { amount } }) => compareMoney(amount, zero) > 0 === rises)
    .toSorted(({ part: left }, { part: right }) =>
      compareMoney(absoluteMoney(right.amount), absoluteMoney(left.amount)),
    );
  return first;
};

/** The main cause of a change, its amount and who is behind it. */
export type DescribedCause = {
  /** A sentence that begins in lower case, to follow a label. */
  readonly text: string;
  /** Whether it explains the whole change. */
  readonly isAll: boolean;
  /** The model and the key that it names. */
  readonly names: readonly string[];
};

/** An unusual day of the earlier period, and what it cost beyond a usual day. */
export type EndedSpike = {
  /** Empty for all models, or for all keys. */
  readonly model: string;
  readonly key: string;
  /** As a reader sees it. */
  readonly day: string;
  readonly excess: Money;
};

/** The first spike whose end is at least half of the decrease, and that is of the model and key that contribute most. */
const endedSpike = (
  spikes: readonly EndedSpike[],
  top: Contribution | undefined,
  change: Money,
): EndedSpike | undefined =>
  top === undefined || compareMoney(change, zero) >= 0
    ? undefined
    : spikes.find(
        ({ model, key, excess }) =>
          ['', top.model].includes(model) &&
          ['', top.key].includes(key) &&
          compareMoney(addMoney(addMoney(excess, excess), change), zero) >= 0,
      );

/** Undefined when nothing has changed, as far as shown amounts tell. */
export const describeCause = (
  waterfall: Waterfall,
  currency: string,
  locale: Locale,
  spikes: readonly EndedSpike[] = [],
): DescribedCause | undefined => {
  const shown = shownChange(waterfall);
  const { change } = shown;
  const main = compareMoney(change.amount, zero) === 0 ? undefined : mainPart(shown);
  if (main === undefined) return undefined;
  const rest = subtractMoney(change.amount, main.amount);
  const isAll = compareMoney(rest, zero) === 0;
  const isOffset = compareMoney(absoluteMoney(main.amount), absoluteMoney(change.amount)) > 0;
  const [top] = main.part.top;
  const signed = (amount: Money, decimals: number): string => signedMoney(amount, currency, locale, decimals);
  const { changes } = locale.messages;
  const spike = endedSpike(spikes, top, change.amount);
  const text = changes.sentence({
    cause: causeName(main.part, locale),
    amount: signed(main.amount, main.decimals),
    change: signed(change.amount, change.decimals),
    isAll,
    ...(isOffset ? { offset: signed(rest, Math.max(change.decimals, main.decimals)) } : {}),
    ...(top === undefined || spike !== undefined ? {} : { who: contributorText(top, locale) }),
  });
  if (spike === undefined) return { text, isAll, names: top === undefined ? [] : [top.model, top.key] };
  const { model, key, day } = spike;
  return { text: changes.spikeEnded(spikeText(spike, locale), day, text), isAll, names: [model, key] };
};
