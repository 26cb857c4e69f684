import { z } from 'zod';

/** What the loader has to know of a field beside its shape. */
export type FieldNotes = {
  /**
   * Registered for redaction, and never shown. `whole`: nothing of it may be written in the YAML. `password`: a URL,
   * whose password may not. `open`: all of it may.
   */
  readonly secret?: 'whole' | 'password' | 'open' | undefined;
  /** The field names a thing that must be declared elsewhere. */
  readonly names?: 'account' | 'team' | 'report' | 'job' | 'route';
  /** The field is a path of a PEM file that must be there. */
  readonly pem?: true;
  /** What it must be, in plain words: `must be …`. */
  readonly description?: string;
  /** What to do when it is something else, and why. */
  readonly advice?: string | undefined;
  /** Of which form its text is, for the next step when it is something else. */
  readonly form?: 'date' | 'zone' | undefined;
  /** How its value is shown to people: text in quotes unless told here. */
  readonly shows?: 'duration' | 'bare';
};

/** Notes stay with a field through `.describe()`, `.optional()` and the like. */
export const fieldNotes = z.registry<FieldNotes>();
