import { z } from 'zod';
import { fillNote, path } from '../setting-fields.ts';

export const ageSettings = z.strictObject({
  path: path.describe(`Path of the file, one per service. ${fillNote}`),
  recipients: z
    .array(z.string().regex(/^age1[a-z0-9]+$/, { error: 'must be a recipient such as age1…' }))
    .min(1)
    .describe('age public keys of the people who may decrypt the file.'),
});

export type AgeSpec = z.output<typeof ageSettings> & { readonly kind: 'age' };
