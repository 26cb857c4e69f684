import { z } from 'zod';
import { exactlyOneOf } from '../../../config/index.ts';
import { fillNote, path, text } from '../setting-fields.ts';

/** 0600 by default; never accessible to others. */
const mode = z
  .string()
  .regex(/^0?[4-7][0-7]0$/, { error: 'must be permissions such as "0600" or "0640", with none for others' })
  .transform((value) => Number.parseInt(value, 8))
  .meta({ examples: ['0600', '0640'] });

export const fileSettings = z
  .strictObject({
    path: path.describe(`Path of the file. ${fillNote} Relative paths start at the working directory.`),
    variable: text.optional().describe('Name of a variable in a dotenv file.'),
    pointer: text
      .regex(/^\//, { error: 'must be a JSON pointer such as /gateway/api_key' })
      .optional()
      .describe('JSON pointer to the value in a JSON file, such as /gateway/api_key.'),
    raw: z.literal(true).optional().describe('The whole file consists of the key.'),
    mode: mode.optional().describe('Permissions of the file, in quotes; "0600" if omitted.'),
  })
  .refine(...exactlyOneOf(['variable', 'pointer', 'raw']));

export type FileHolds =
  | { readonly kind: 'variable'; readonly name: string }
  /** RFC 6901. */
  | { readonly kind: 'pointer'; readonly pointer: string }
  | { readonly kind: 'raw' };

export type FileSpec = {
  readonly kind: 'file';
  readonly path: string;
  readonly holds: FileHolds;
  /** Permission bits; 0600 if omitted. */
  readonly mode?: number | undefined;
};

export const fileSpecOf = ({ path, variable, pointer, mode }: z.output<typeof fileSettings>): FileSpec => ({
  kind: 'file',
  path,
  holds:
    variable === undefined
      ? pointer === undefined
        ? { kind: 'raw' }
        : { kind: 'pointer', pointer }
      : { kind: 'variable', name: variable },
  mode,
});
