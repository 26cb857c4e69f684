import { dotenvForm, rawForm, type FileForm } from './dotenv.ts';
import { jsonForm } from '../json-text.ts';
import type { FileSpec } from './settings.ts';

/** How the key stands in the file. @throws Fault sink-refused for what is no JSON pointer */
export const formOf = ({ path, holds }: FileSpec): FileForm => {
  switch (holds.kind) {
    case 'variable':
      return dotenvForm(holds.name, path);
    case 'pointer':
      return jsonForm(holds.pointer, path);
    default:
      return rawForm;
  }
};

/** One byte a character, so that bytes of any encoding come out as they went in. */
export const textOf = (bytes: Buffer): string => bytes.toString('latin1');
