import { resolve } from 'node:path';
import { fault, readReason, readText, type Deps, type Secret } from '../../core/index.ts';
import type { ModelAccess } from '../../app/index.ts';

export type KeySource = {
  readonly keyEnv?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly service?: string | undefined;
};

const maxKeyFile = 64 * 1024;

const choose = (message: string): Error =>
  fault('wrong-use', message, {
    advice:
      'give one of --key-env NAME, --key-file PATH and --service NAME; a key itself is never an argument',
  });

/** @throws Fault wrong-use, sink-failed */
export const readKey = async (
  { keyEnv, keyFile, service }: KeySource,
  deps: Deps,
  access: Pick<ModelAccess, 'keyOf'>,
): Promise<Secret> => {
  const given = [keyEnv, keyFile, service].filter((one) => one !== undefined);
  if (given.length !== 1)
    throw choose(given.length === 0 ? 'no API key is given' : 'more than one API key is given');
  if (service !== undefined) return access.keyOf(service);
  if (keyEnv !== undefined) {
    const value = deps.env[keyEnv]?.trim();
    if (value === undefined || value === '') throw choose(`the environment has no variable ${keyEnv}`);
    return deps.secrets.register(value);
  }
  const path = resolve(deps.cwd, keyFile ?? '');
  const text = await readText(path, maxKeyFile).catch((error: unknown) => {
    throw choose(`${path} cannot be read (${readReason(error)})`);
  });
  if (text.trim() === '') throw choose(`${path} is empty`);
  return deps.secrets.register(text.trim());
};
