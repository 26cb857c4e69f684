import { resolve } from 'node:path';
import { Option } from 'commander';
import { readConfig } from '../settings.ts';
import type { LoadedConfig } from '../settings.ts';
import { fault } from '../base/index.ts';
import type { Means } from '../base/index.ts';

/** `--config`, for every command that reads one. */
export const configOption = (): Option =>
  new Option('-c, --config <folder>', 'folder that holds tollkeeper.yaml and jobs/')
    .env('TOLLKEEPER_CONFIG')
    .default('config');

/** One fault, as editors and terminals can jump to it, and below it what to do. */
export const faultLines = (faults: LoadedConfig['faults']): string =>
  faults
    .map(({ file, line, column, message, advice }) => {
      const place = `${file}:${line}:${column}: ${message}`;
      return advice === undefined ? place : `${place}\n    what to do: ${advice}`;
    })
    .join('\n');

/** The config, or the fault that lists all of its faults. */
export const needConfig = async (means: Means, folder: string) => {
  const { config, faults } = await readConfig(resolve(means.cwd, folder), means);
  if (config !== undefined) return config;
  throw fault(
    'config-invalid',
    `the config has ${faults.length} fault${faults.length === 1 ? '' : 's'}\n${faultLines(faults)}`,
  );
};
