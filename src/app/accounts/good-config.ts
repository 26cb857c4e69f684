import { countText, didYouMean, fault, type Fault } from '../../core/index.ts';
import { formatConfigFault, type Config, type Loaded } from '../../config/index.ts';

/** @throws Fault `config-invalid`, which lists every fault of the config */
export const goodConfig = ({ config, faults }: Loaded): Config => {
  if (config !== undefined) return config;
  throw fault(
    'config-invalid',
    `the config has ${countText(faults.length, 'fault')}\n${faults.map(formatConfigFault).join('\n')}`,
  );
};

/** The database path may be known although other settings are faulty. @throws Fault `config-invalid` */
export const databaseOf = (loaded: Loaded): string =>
  loaded.warehousePath ?? goodConfig(loaded).settings.warehouse.path;

/** Fault `job-unknown`, with the jobs that exist and the one that was probably meant. */
export const unknownJob = (name: string, jobs: readonly string[]): Fault => {
  const advice = didYouMean(name, jobs);
  return fault(
    'job-unknown',
    `unknown job ${name}; jobs: ${jobs.join(', ') || 'none'}`,
    advice === undefined ? {} : { advice },
  );
};
