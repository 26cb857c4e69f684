import { Option } from 'commander';
import type { LoadedConfig } from '../settings.ts';

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

/** Like faults, marked as warnings. */
export const warningLines = (warnings: LoadedConfig['faults']): string =>
  faultLines(warnings.map((warning) => ({ ...warning, message: `warning: ${warning.message}` })));
