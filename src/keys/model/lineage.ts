import type { UnixMillis } from '../../core/index.ts';
import type { LineageRow } from '../../warehouse/index.ts';
import type { KeyEvent } from './key-event.ts';

/** Keys by id. */
export type Lineage = ReadonlyMap<number, LineageRow>;

type Placed = {
  readonly account: string;
  readonly service: string;
  readonly keyId: number;
  readonly generation: number;
  readonly name: string;
};

const rowOf = (event: Placed, born: UnixMillis): LineageRow => ({
  account: event.account,
  keyId: event.keyId,
  service: event.service,
  generation: event.generation,
  name: event.name,
  born,
});

/** The lineage row that a step changes; a key that leaves the lineage stays in it with its end. */
export const lineageAfter = (lineage: Lineage, event: KeyEvent): LineageRow | undefined => {
  switch (event.what) {
    case 'adopted':
      return rowOf(event, event.born);
    case 'created':
      return rowOf(event, event.at);
    case 'deleting': {
      // An orphan without an answer appears here for the first time.
      const known = lineage.get(event.keyId);
      return known === undefined ? rowOf(event, event.at) : undefined;
    }
    case 'retained': {
      const { keyId } = event;
      if (keyId === undefined) return undefined;
      const known = lineage.get(keyId);
      return { ...(known ?? rowOf({ ...event, keyId }, event.at)), retired: event.at };
    }
    case 'deleted':
    case 'retired':
    case 'vanished': {
      const known = lineage.get(event.keyId);
      return { ...(known ?? rowOf(event, event.at)), retired: event.at };
    }
    default:
      return undefined;
  }
};

/** The live keys of a service, the newest generation first. */
export const liveOf = (lineage: Lineage, service: string): readonly LineageRow[] =>
  [...lineage.values()]
    .filter((row) => row.service === service && row.retired === undefined)
    .sort((left, right) => right.generation - left.generation);
