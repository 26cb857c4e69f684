import { dotenvForm, rawForm, type FileForm } from './dotenv.ts';
import { jsonForm } from '../json-text.ts';
import type { FileSpec } from './settings.ts';

/** The format of the key in the file. @throws Fault sink-refused for an invalid JSON pointer */
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

/** One character per byte, so that bytes of any encoding survive unchanged. */
export const textOf = (bytes: Buffer): string => bytes.toString('latin1');
