import {
  absoluteMoney,
  addMoney,
  compareMoney,
  subtractMoney,
  zero,
  type Money,
} from '../../../core/index.ts';
import type { CausePart, Contributor, Waterfall } from '../../../monitoring/index.ts';
import { formatDifference, formatMoney, type Locale } from '../../../messages/index.ts';
import { shownChange, type ShownChange } from './shown-change.ts';
import { showName } from '../names.ts';

/** Longer names would leave no space for the amount beside them. */
const longest = { model: 24, key: 20 };

/** What the part is called within a sentence: `more calls`, `shorter calls`. */
const causeName = ({ factor, amount }: CausePart, { messages }: Locale): string =>
  messages.changes.factors[factor][compareMoney(amount, zero) > 0 ? 'up' : 'down'];

/** The same at the beginning of a line. */
export const causeLabel = (part: CausePart, locale: Locale): string =>
  causeName(part, locale).replace(/^./u, (letter) => letter.toLocaleUpperCase(locale.tag));

/** Who contributes most, with their own amount; names may hold anything. */
export const contributorText = (one: Contributor, currency: string, locale: Locale): string => {
  const { changes, unnamed } = locale.messages;
  const model = one.model === undefined ? undefined : showName(one.model, longest.model) || unnamed;
  const key = one.key === undefined ? undefined : showName(one.key, longest.key);
  return changes.contributor(model, key, one.state, formatDifference(one.amount, currency, locale));
};

/** Model, key, or model and key of a spike. */
const spikeText = ({ model, key }: EndedSpike, { messages }: Locale): string =>
  model === ''
    ? showName(key, longest.key)
    : messages.changes.contributor(
        showName(model, longest.model),
        key === '' ? undefined : showName(key, longest.key),
      );

const namesOf = ({ model, key }: Partial<Contributor> = {}): readonly string[] =>
  [model, key].flatMap((name) => (name === undefined || name === '' ? [] : [name]));

/** The part that explains most of the change, in its direction; undefined when nothing has changed. */
const mainPart = ({ parts, change }: ShownChange): ShownChange['parts'][number] | undefined => {
  const direction = compareMoney(change, zero);
  const [first] = parts
    .filter(({ amount }) => compareMoney(amount, zero) === direction)
    .toSorted(({ part: left }, { part: right }) => direction * compareMoney(right.amount, left.amount));
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

/** The first spike whose end is at least half of the decrease, and that is of the named contributor. */
const endedSpike = (
  spikes: readonly EndedSpike[],
  top: Contributor | undefined,
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
  const { change, decimals } = shown;
  const main = mainPart(shown);
  if (main === undefined) return undefined;
  const rest = subtractMoney(change, main.amount);
  const isAll = rest === zero;
  const isOffset = compareMoney(absoluteMoney(main.amount), absoluteMoney(change)) > 0;
  const { contributor } = main.part;
  const signed = (amount: Money): string => formatDifference(amount, currency, locale, decimals);
  const size = (amount: Money): string => formatMoney(absoluteMoney(amount), currency, locale, decimals);
  const { changes } = locale.messages;
  const spike = endedSpike(spikes, contributor, waterfall.change);
  const text = changes.sentence({
    cause: causeName(main.part, locale),
    amount: signed(main.amount),
    ...(isAll || isOffset
      ? {}
      : {
          partOf: {
            part: size(main.amount),
            change: size(change),
            isRise: compareMoney(change, zero) > 0,
          },
        }),
    ...(isOffset ? { offset: signed(rest) } : {}),
    ...(contributor === undefined || spike !== undefined
      ? {}
      : { who: contributorText(contributor, currency, locale) }),
  });
  if (spike === undefined) return { text, isAll, names: namesOf(contributor) };
  const { model, key, day } = spike;
  return { text: changes.spikeEnded(spikeText(spike, locale), day, text), isAll, names: [model, key] };
};
