import { printable } from '../core/index.ts';

export type LabelSet = Readonly<Record<string, string>>;

/** Maximum number of characters of a label value. */
const longest = 200;

/** Code units that are half of a character have no form in UTF-8. */
const loneSurrogate = /\p{Surrogate}/gu;

/** A label value without controls, in valid Unicode, and of bounded length; line ends are escaped by the exposition. */
const labelValue = (text: string): string => {
  const whole = printable(text.replaceAll(loneSurrogate, '\uFFFD').replaceAll(/[\r\t]/g, ' '));
  return whole.length <= longest ? whole : `${whole.slice(0, longest - 1).replace(loneSurrogate, '')}…`;
};

export const cleanLabels = (labels: LabelSet): LabelSet =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, labelValue(value)]));

/** The same for equal label sets, and sortable. */
const keyOf = (labels: LabelSet): string => JSON.stringify(Object.values(labels));

export type Bounded<Item> = { readonly kept: readonly Item[]; readonly dropped: number };

/** The first `most` label sets by name, each once; the same ones at each scrape. */
export const boundItems = <Item extends { readonly labels: LabelSet }>(
  items: readonly Item[],
  most: number,
): Bounded<Item> => {
  const byKey = new Map<string, Item>();
  for (const item of items) {
    const key = keyOf(item.labels);
    if (!byKey.has(key)) byKey.set(key, item);
  }
  const kept =
    byKey.size <= most
      ? [...byKey.values()]
      : [...byKey]
          .sort(([left], [right]) => (left < right ? -1 : 1))
          .slice(0, most)
          .map(([, item]) => item);
  return { kept, dropped: items.length - kept.length };
};

export type Overflow = {
  /** The label set to count under: itself, or one named `other` once there are `most` of them. */
  readonly take: (labels: LabelSet) => LabelSet;
  /** Distinct label sets counted as other, up to a limit. */
  readonly dropped: () => number;
};

/** Distinct label sets that are remembered as dropped. */
const mostRemembered = 10_000;

/** Bounds what is counted over the life of the process: its total stays right. */
export const createOverflow = (most: number, onOverflow: () => void): Overflow => {
  const known = new Set<string>();
  const left = new Set<string>();
  return {
    take: (labels) => {
      const key = keyOf(labels);
      if (known.has(key)) return labels;
      if (known.size < most) {
        known.add(key);
        return labels;
      }
      if (left.size === 0) onOverflow();
      if (left.size < mostRemembered) left.add(key);
      return Object.fromEntries(Object.keys(labels).map((name) => [name, 'other']));
    },
    dropped: () => left.size,
  };
};
