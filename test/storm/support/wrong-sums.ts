import { basename, join } from 'node:path';
import { silentLog, systemClock } from '../../../src/core/index.ts';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { openWarehouse } from '../../../src/warehouse/index.ts';

/** How the calls that a data folder covers differ from those that the gateway served; empty if they are equal. */
export const wrongSums = async (
  data: string,
  { truth }: Pick<Sandbox, 'truth'>,
): Promise<readonly string[]> => {
  await using warehouse = await openWarehouse({
    path: join(data, 'tollkeeper.duckdb'),
    spoolDirectory: join(data, 'spool'),
    memoryLimit: '512MB',
    threads: 1,
    clock: systemClock,
    log: silentLog,
  });
  const covered = await warehouse.logs.watermark('main');
  if (covered === undefined) return [`${basename(data)} covers no calls`];
  const { served } = await warehouse.spend('main', covered);
  const { quota } = truth.sums(covered.start, covered.end);
  return served === quota
    ? []
    : [`the calls of ${basename(data)} amount to ${served}, and those of the gateway to ${quota}`];
};
