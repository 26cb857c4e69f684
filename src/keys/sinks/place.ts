import { createHash } from 'node:crypto';

/** The location of a key: a unit that is written as a whole, and the part of it that is the key. */
export type Place = {
  readonly whole: string;
  readonly part: string;
  readonly overlaps: (part: string) => boolean;
};

/** A short hash for text that is secret or too long for a name. */
export const short = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);

export const wholePlace = (whole: string): Place => ({ whole, part: '', overlaps: () => true });

export const fieldPlace = (whole: string, field: string | undefined): Place =>
  field === undefined
    ? wholePlace(whole)
    : { whole, part: `#${field}`, overlaps: (other) => other === '' || other === `#${field}` };
