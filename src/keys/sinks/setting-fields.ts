import { z } from 'zod';
import { exactlyOneOf, secret } from '../../config/index.ts';
import type { Secret } from '../../core/index.ts';

export const text = z.string().min(1).max(1000);

export const path = text
  .refine((value) => !value.includes('\0'), { error: 'must be a path' })
  .describe('Relative paths start at the working directory.');

export const fillNote = '{service} and {account} are replaced by the service and account of the key.';

/** A token, or a file with one that is read on each use, because agents renew it. */
export type TokenSource = { readonly token: Secret } | { readonly tokenFile: string };

export const tokenFields = {
  token: secret.optional().describe('Secret reference of the token.'),
  token_file: path
    .optional()
    .describe(
      'Path of a file with the token, read on each use. Relative paths start at the working directory.',
    ),
};

export const oneToken = exactlyOneOf(['token', 'token_file']);

/** The schema guarantees that one of them is present. */
export const tokenOf = (written: {
  token?: Secret | undefined;
  token_file?: string | undefined;
}): TokenSource =>
  written.token === undefined ? { tokenFile: written.token_file ?? '' } : { token: written.token };

export const issuer = path.optional().describe('PEM file with an additional certificate authority to trust.');
