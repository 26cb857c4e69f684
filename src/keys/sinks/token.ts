import { resolve } from 'node:path';
import { readText, type SecretRegistry } from '../../core/index.ts';
import { fileFault, refused } from './sink-faults.ts';
import type { TokenSource } from './setting-fields.ts';

const largestSetting = 1024 * 1024;

/** The current content of a settings file. @throws Fault sink-refused, sink-failed */
export const readSetting = async (path: string, what: string): Promise<string> => {
  try {
    return await readText(path, largestSetting);
  } catch (error) {
    throw fileFault(`the ${what} ${path} cannot be read`, error);
  }
};

/** The current token; reads a file each time. @throws Fault sink-refused, sink-failed */
export const readToken = async (source: TokenSource, secrets: SecretRegistry): Promise<string> => {
  const written =
    'token' in source ? source.token.reveal() : await readSetting(source.tokenFile, 'token file');
  const token = written.trim();
  if (token === '' || /[^\x21-\x7e]/.test(token))
    throw refused('the token of the sink is invalid: it is empty or contains spaces');
  return secrets.register(token).reveal();
};

export const tokenFrom = (source: TokenSource, cwd: string): TokenSource =>
  'token' in source ? source : { tokenFile: resolve(cwd, source.tokenFile) };
