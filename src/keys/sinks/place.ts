import { createHash } from 'node:crypto';

/** Where a key is: something that is written whole, and the part of it that is the key. */
export type Place = {
  readonly whole: string;
  readonly part: string;
  readonly overlaps: (part: string) => boolean;
};

/** Tells apart what must not be shown, or is too long for a name. */
export const short = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);

export const wholePlace = (whole: string): Place => ({ whole, part: '', overlaps: () => true });

export const fieldPlace = (whole: string, field: string | undefined): Place =>
  field === undefined
    ? wholePlace(whole)
    : { whole, part: `#${field}`, overlaps: (other) => other === '' || other === `#${field}` };
