import { z } from 'zod';

/** What the loader has to know of a field beside its shape. */
export type FieldNotes = {
  /** `whole`: nothing of it may be written in the YAML. `password`: a URL, whose password may not. */
  readonly secret?: 'whole' | 'password';
  /** The field names a thing that must be declared elsewhere. */
  readonly names?: 'account' | 'team' | 'report' | 'job';
  /** The field is a path of a PEM file that must be there. */
  readonly pem?: true;
  /** What it must be, in plain words: `must be …`. */
  readonly words?: string;
};

/** Notes stay with a field through `.describe()`, `.optional()` and the like. */
export const fieldNotes = z.registry<FieldNotes>();
