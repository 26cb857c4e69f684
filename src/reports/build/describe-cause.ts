import { absoluteMoney, compareMoney, subtractMoney, zero } from '../../core/index.ts';
import type { Money } from '../../core/index.ts';
import type { CausePart, Contribution, Waterfall } from '../../monitoring/index.ts';
import type { Locale } from '../locales/locale.ts';
import { formatMoney } from './format.ts';
import { showName } from './names.ts';

const longestName = 48;

export const signedMoney = (amount: Money, currency: string, locale: Locale): string =>
  `${compareMoney(amount, zero) > 0 ? '+' : ''}${formatMoney(amount, currency, locale)}`;

/** What the part is called: `More calls`, `Shorter calls`. */
export const causeLabel = ({ factor, amount }: CausePart, { messages }: Locale): string =>
  messages.changes.factors[factor][compareMoney(amount, zero) > 0 ? 'up' : 'down'];

/** Model and key of a contribution; names may hold anything. */
export const contributorText = (one: Contribution, { messages }: Locale): string => {
  const { changes, unnamed } = messages;
  const model = showName(one.model, longestName) || unnamed;
  const key = showName(one.key, longestName);
  const state = one.isNew ? 'new' : one.isGone ? 'gone' : undefined;
  return changes.contributor(model, key, state);
};

/** The part that explains most of the change, in its direction; undefined when nothing has changed. */
const mainPart = ({ parts, change }: Waterfall): CausePart | undefined => {
  const rises = compareMoney(change, zero) > 0;
  const [first] = parts
    .filter(({ amount }) => compareMoney(amount, zero) !== 0 && compareMoney(amount, zero) > 0 === rises)
    .toSorted((left, right) => compareMoney(absoluteMoney(right.amount), absoluteMoney(left.amount)));
  return first;
};

/** One sentence with the main cause of a change, its amount and who is behind it; undefined when nothing has changed. */
export const causeSentence = (waterfall: Waterfall, currency: string, locale: Locale): string | undefined => {
  const { change } = waterfall;
  const part = compareMoney(change, zero) === 0 ? undefined : mainPart(waterfall);
  if (part === undefined) return undefined;
  const rest = subtractMoney(change, part.amount);
  const isOffset = compareMoney(absoluteMoney(part.amount), absoluteMoney(change)) > 0;
  const [top] = part.top;
  return locale.messages.changes.sentence({
    cause: causeLabel(part, locale),
    amount: signedMoney(part.amount, currency, locale),
    change: signedMoney(change, currency, locale),
    isAll: compareMoney(rest, zero) === 0,
    ...(isOffset ? { offset: signedMoney(rest, currency, locale) } : {}),
    ...(top === undefined ? {} : { who: contributorText(top, locale) }),
  });
};
