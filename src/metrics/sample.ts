import type { Money } from '../core/index.ts';
import type { GaugeName, LabelsOf } from './catalogue.ts';

/** A value of a gauge at a scrape. An amount stays exact up to the text of the exposition. */
export type Sample = {
  readonly name: GaugeName;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number | Money;
};

/** A sample whose labels are those of the catalogue. */
export const sample = <Name extends GaugeName>(
  name: Name,
  labels: LabelsOf<Name>,
  value: number | Money,
): Sample => ({ name, labels, value });

/** One part of the samples, such as the keys: read separately, so that its failure leaves the others. */
export type Readers = Readonly<Record<string, () => Promise<readonly Sample[]>>>;
