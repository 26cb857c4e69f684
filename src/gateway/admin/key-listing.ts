import { fault } from '../../core/index.ts';
import type { ApiKey, KeyPage } from './api-key.ts';

type ReadPage = (page: number) => Promise<KeyPage>;

/** One reading of all pages. */
type Scan = {
  readonly keys: ReadonlyMap<number, ApiKey>;
  /** One page contained every key, or nothing changed between the pages: no second reading is needed. */
  readonly certain: boolean;
  /** It ended on a page that only repeated others, or showed no key at all, although the gateway counts more keys. */
  readonly hiding: boolean;
};

/** Maximum number of readings before the list is reported as unsettled. */
const maxScans = 6;

/** Pages and keys of an account: a gateway that serves more is not believed. */
const maxPages = 2000;
const maxKeys = 20_000;

const descending = (ids: readonly number[]): boolean =>
  ids.every((id, index) => index === 0 || id < (ids[index - 1] ?? 0));

/**
 * Pages are cut by offset, newest first: a key created meanwhile repeats one, a deleted key hides one. If IDs fall
 * throughout and each page reports the same total, equal to the number of keys read, nothing can be hidden.
 */
const scan = async (readPage: ReadPage): Promise<Scan> => {
  const keys = new Map<number, ApiKey>();
  const ids: number[] = [];
  const totals = new Set<number>();
  for (let number = 1; number <= maxPages; number += 1) {
    const { items, pageSize = 0, total = 0 } = await readPage(number);
    totals.add(total);
    const before = keys.size;
    for (const item of items) {
      ids.push(item.id);
      keys.set(item.id, item);
    }
    if (keys.size > maxKeys)
      throw fault('gateway-answer-too-large', `the key list has more than ${maxKeys} keys`);
    // A page may be cut shorter than it says, so that it ends the list only when a total agrees; else an empty page does.
    const short = items.length < pageSize && total > 0 && keys.size >= total;
    const stuck = keys.size === before;
    if (items.length === 0 || short || stuck) {
      const counted = totals.size === 1 && totals.has(keys.size) && descending(ids);
      return {
        keys,
        certain: counted || (number === 1 && (short || (items.length === 0 && total === 0))),
        hiding: (items.length > 0 || keys.size === 0) && keys.size < total,
      };
    }
  }
  throw fault('gateway-answer-unreadable', `the key list has more than ${maxPages} pages`);
};

const sameKeys = (left: Scan, right: Scan): boolean =>
  left.keys.size === right.keys.size && [...left.keys.keys()].every((id) => right.keys.has(id));

/**
 * Every key, each once, in the order served. Two equal readings may both miss keys that were created and deleted
 * meanwhile, if the gateway counts more than they show: then reading continues, and only the end reports it.
 * @throws Fault `gateway-keys-unsettled` when no two readings agree, `gateway-answer-unreadable` when keys stay hidden.
 */
export const listAllKeys = async (readPage: ReadPage): Promise<ApiKey[]> => {
  let previous: Scan | undefined;
  for (let reading = 1; reading <= maxScans; reading += 1) {
    const current = await scan(readPage);
    const agreed = previous !== undefined && sameKeys(previous, current) && !current.hiding;
    if (current.certain || agreed) return [...current.keys.values()];
    previous = current;
  }
  throw previous?.hiding === true
    ? fault(
        'gateway-answer-unreadable',
        'the key list does not contain as many keys as it counts: pages repeat or are empty',
      )
    : fault(
        'gateway-keys-unsettled',
        `the key list changed during each of ${maxScans} reads: keys are being created and deleted`,
      );
};
