import { z } from 'zod';

/** What the loader needs to know about a field besides its schema. */
export type FieldNotes = {
  /**
   * Registered for redaction, and never shown. `whole`: no part may be written in the YAML. `password`: a URL whose
   * password may not. `open`: all of it may.
   */
  readonly secret?: 'whole' | 'password' | 'open' | undefined;
  /** The field names something that must be declared elsewhere. */
  readonly names?: 'account' | 'team' | 'report' | 'job' | 'route';
  /** The field is a path of a PEM file that must exist. */
  readonly pem?: true;
  /** What it must be, in plain English: `must be …`. */
  readonly description?: string;
  /** What to do if it is something else, and why. */
  readonly advice?: string | undefined;
  /** The form of its text, for the next step if it is something else. */
  readonly form?: 'date' | 'zone' | undefined;
  /** Keys that stand elsewhere, with what to do about each. */
  readonly moved?: Readonly<Record<string, string>>;
  /** How its value is shown to people; default: quoted text. */
  readonly shows?: 'duration' | 'bare';
};

/** Notes are kept by `.describe()`, `.optional()` and the like. */
export const fieldNotes = z.registry<FieldNotes>();

/** Marks the rule by which the advice is found. */
export const exactlyOneRule = 'exactly-one';

/** Arguments of `refine` for a map that has exactly one of these keys. */
export const exactlyOneOf = (keys: readonly string[]) =>
  [
    (written: Readonly<Record<string, unknown>>): boolean =>
      keys.filter((key) => written[key] !== undefined).length === 1,
    { error: `must have exactly one of ${keys.join(', ')}`, params: { rule: exactlyOneRule } },
  ] as const;
