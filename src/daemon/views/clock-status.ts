import type { Config } from '../../config/index.ts';
import { expiryPolicy, type ExpireSettings, type RotateSettings } from '../../jobs/index.ts';
import { clockEffect } from '../../keys/index.ts';
import type { ClockProblemView } from '../../web/index.ts';
import type { Warehouse } from '../../warehouse/index.ts';

/** The accounts whose clocks are so wrong that their key jobs delete nothing, each once. */
export const clockProblems = (
  { jobs }: Pick<Config, 'jobs'>,
  clocks: Pick<Warehouse['clocks'], 'of'>,
): readonly ClockProblemView[] => {
  const found = new Map<string, ClockProblemView>();
  for (const { name, kind, account, fields, suspend } of Object.values(jobs)) {
    if (suspend || (kind !== 'rotate-keys' && kind !== 'expire-keys')) continue;
    // The config has parsed the fields with the shape of the kind.
    const quiet =
      kind === 'rotate-keys'
        ? (fields as RotateSettings).retire.quiet
        : expiryPolicy(name, fields as ExpireSettings).quiet;
    const effect = clockEffect(clocks.of(account), quiet);
    if (effect.effect === 'suspend' && !found.has(account))
      found.set(account, { account, message: effect.message });
  }
  return [...found.values()];
};
