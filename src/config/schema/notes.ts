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
  /** How its value is shown to people; default: quoted text. */
  readonly shows?: 'duration' | 'bare';
};

/** Notes are kept by `.describe()`, `.optional()` and the like. */
export const fieldNotes = z.registry<FieldNotes>();
