import type { LineageRow } from '../../warehouse/index.ts';

/** Keys by id. */
export type Lineage = ReadonlyMap<number, LineageRow>;

/** The live keys of a service, the newest generation first. */
export const liveOf = (lineage: Lineage, service: string): readonly LineageRow[] =>
  [...lineage.values()]
    .filter((row) => row.service === service && row.retired === undefined)
    .sort((left, right) => right.generation - left.generation);
