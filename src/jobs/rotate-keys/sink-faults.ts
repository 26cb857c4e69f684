import type { Config, ConfigFault } from '../../config/index.ts';
import { earlyProblems } from '../../keys/index.ts';
import type { RotateSettings } from './rotate-shape.ts';

type SinkFaults = { readonly faults: readonly ConfigFault[]; readonly warnings: readonly ConfigFault[] };

/** What `check` can find on this machine that prevents delivery of keys; writes nothing and opens no connections. */
export const sinkFaults = async (config: Config, cwd: string): Promise<SinkFaults> => {
  const [faults, warnings]: [ConfigFault[], ConfigFault[]] = [[], []];
  for (const job of Object.values(config.jobs)) {
    if (job.kind !== 'rotate-keys') continue;
    // The config has parsed the fields with the shape of this kind.
    const { deliver = [], keys } = job.fields as RotateSettings;
    const { name } = keys;
    const names = {
      account: job.account,
      ...(name === undefined || name.includes('*') ? {} : { service: name }),
    };
    for (const [index, spec] of deliver.entries()) {
      for (const { message, advice, isAdvisory } of await earlyProblems(spec, names, cwd))
        (isAdvisory === true ? warnings : faults).push({
          ...job.place,
          message: `jobs.${job.name}.deliver[${index}]: ${message}`,
          advice,
        });
    }
  }
  return { faults, warnings };
};
