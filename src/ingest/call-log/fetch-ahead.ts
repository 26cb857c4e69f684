import { hasCode } from '../../core/index.ts';

type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

export type FetchAheadOptions<Item extends object, T extends AsyncDisposable> = {
  /** Writes an item to disk and reports the bytes as they arrive; removes everything when it throws. */
  readonly fetch: (item: Item, signal: AbortSignal, onBytes: (bytes: number) => void) => Promise<T>;
  /** Bytes on disk above which nothing is fetched ahead; the first item is fetched whatever its size. */
  readonly spoolBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Called when fetching ahead stops: the gateway limits its rate, or the disk is full. */
  readonly onThrottled?: (error: unknown) => void;
};

/** Fetches items in parallel and returns them one by one, in order. */
export type FetchAhead<Item extends object, T> = AsyncDisposable & {
  /**
   * The result of the first item, which the caller then owns; starts up to `ahead` of the following items. Started
   * items that are no longer in the list are abandoned. @throws what fetching it throws
   */
  readonly first: (items: readonly [Item, ...Item[]], ahead: number) => Promise<T>;
  /** Whether it was started. */
  readonly holds: (item: Item) => boolean;
};

type Slot<T> = {
  readonly outcome: Promise<Outcome<T>>;
  readonly giveUp: () => void;
  bytes: number;
  ahead: boolean;
  /** Abandoned for lack of space; it is fetched again in its turn. */
  dropped: boolean;
};

/** Errors caused by parallel requests: the item is requested again in its turn, alone. */
const isOverload = (error: unknown): boolean =>
  hasCode(error, 'gateway-rate-limited') || hasCode(error, 'disk-full');

export const createFetchAhead = <Item extends object, T extends AsyncDisposable>(
  options: FetchAheadOptions<Item, T>,
): FetchAhead<Item, T> => {
  const { signal } = options;
  const slots = new Map<Item, Slot<T>>();
  const leaving = new Set<Promise<void>>();
  /** Bytes of the item returned last, which may still be on disk. */
  let handedOut = 0;
  let largest = 0;
  let throttled = false;

  const throttle = (error: unknown): void => {
    if (throttled) return;
    throttled = true;
    options.onThrottled?.(error);
  };
  const onDisk = (): number => [...slots.values()].reduce((sum, { bytes }) => sum + bytes, handedOut);
  const begin = (item: Item, ahead: boolean): Slot<T> => {
    const controller = new AbortController();
    if (signal?.aborted === true) controller.abort(signal.reason);
    const onBytes = (count: number): void => {
      slot.bytes += count;
      if (!slot.ahead || slot.dropped || onDisk() <= options.spoolBytes) return;
      slot.dropped = true;
      controller.abort();
    };
    const slot: Slot<T> = {
      outcome: Promise.resolve().then(async () => {
        try {
          return { ok: true, value: await options.fetch(item, controller.signal, onBytes) };
        } catch (error) {
          if (slot.ahead && isOverload(error)) throttle(error);
          return { ok: false, error };
        }
      }),
      giveUp: () => controller.abort(signal?.reason),
      bytes: 0,
      ahead,
      dropped: false,
    };
    slots.set(item, slot);
    return slot;
  };
  const letGo = (item: Item, slot: Slot<T>): void => {
    slots.delete(item);
    slot.giveUp();
    const gone = slot.outcome.then(async (outcome) => {
      if (outcome.ok) await outcome.value[Symbol.asyncDispose]();
    });
    leaving.add(gone);
    void gone.then(
      () => leaving.delete(gone),
      () => undefined,
    );
  };
  const onAbort = (): void => {
    for (const slot of slots.values()) slot.giveUp();
  };
  signal?.addEventListener('abort', onAbort);

  const beginAhead = (items: readonly Item[]): void => {
    for (const item of items) {
      if (slots.has(item)) continue;
      // An item that is not started yet may become as large as the largest so far.
      if (onDisk() + largest > options.spoolBytes) return;
      begin(item, true);
    }
  };
  const first: FetchAhead<Item, T>['first'] = async (items, ahead) => {
    const [item, ...others] = items;
    handedOut = 0;
    for (const [window, slot] of slots) if (!items.includes(window)) letGo(window, slot);
    const slot = slots.get(item) ?? begin(item, false);
    const wasAhead = slot.ahead;
    slot.ahead = false;
    if (!throttled) beginAhead(others.slice(0, ahead));
    const outcome = await slot.outcome;
    slots.delete(item);
    largest = Math.max(largest, slot.bytes);
    if (outcome.ok) {
      handedOut = slot.bytes;
      return outcome.value;
    }
    if (signal?.aborted === true) throw outcome.error;
    if (isOverload(outcome.error) && (wasAhead || slots.size > 0)) {
      throttle(outcome.error);
      for (const [window, other] of slots) letGo(window, other);
      await Promise.all(leaving);
    } else if (!slot.dropped) throw outcome.error;
    return first(items, ahead);
  };
  return {
    first,
    holds: (item) => slots.has(item),
    [Symbol.asyncDispose]: async () => {
      signal?.removeEventListener('abort', onAbort);
      for (const [item, slot] of slots) letGo(item, slot);
      await Promise.all(leaving);
    },
  };
};
