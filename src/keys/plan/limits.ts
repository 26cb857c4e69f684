import { countText } from '../../core/index.ts';

/** How many keys a run may touch: so many, or a share in hundredths of a percent of the keys it is about. */
export type MaxPerRun = { readonly count: number } | { readonly hundredths: number };

export type Limits = {
  readonly maxPerRun: MaxPerRun;
  /** So many of the keys a job is about must be left as they are. */
  readonly minRemaining: number;
};

/** A tenth of the keys. */
export const defaultMaxPerRun: MaxPerRun = { hundredths: 1000 };

/** Reads `5` or `10%`, `2.5%`; nothing when it is neither, or more than all. */
export const readMaxPerRun = (written: number | string): MaxPerRun | undefined => {
  const text = String(written);
  if (/^[1-9]\d{0,5}$/.test(text)) return { count: Number(text) };
  const [, whole, part = ''] = /^(\d{1,3})(?:\.(\d{1,2}))?%$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const hundredths = Number(whole) * 100 + Number(part.padEnd(2, '0'));
  return hundredths < 1 || hundredths > 10_000 ? undefined : { hundredths };
};

/** How many of the keys a run may touch; never none, or a small account would never be served. */
export const maxKeysPerRun = (limit: MaxPerRun, selected: number): number =>
  'count' in limit ? limit.count : Math.max(1, Math.floor((selected * limit.hundredths) / 10_000));

export const limitText = (limit: MaxPerRun): string =>
  'count' in limit ? String(limit.count) : `${limit.hundredths / 100}%`;

export type Limited<T> = {
  readonly taken: readonly T[];
  readonly skipped: readonly {
    readonly item: T;
    readonly reason: 'over-limit' | 'min-remaining';
    readonly message: string;
  }[];
};

/** Takes of what is due, in its order, as much as the limits leave. */
export const withinLimits = <T>(
  due: readonly T[],
  limits: Limits,
  counts: {
    /** Keys that the job is about. */
    readonly selected: number;
    /** Those of them that work and that nothing is being done with. */
    readonly remaining: number;
    /** Whether one fewer remains once it is taken. */
    readonly reduces: (item: T) => boolean;
  },
): Limited<T> => {
  const most = maxKeysPerRun(limits.maxPerRun, counts.selected);
  const over = due.length - most;
  const taken: T[] = [];
  const skipped: Limited<T>['skipped'][number][] = [];
  let remaining = counts.remaining;
  for (const item of due) {
    const reduces = counts.reduces(item);
    if (taken.length >= most)
      skipped.push({
        item,
        reason: 'over-limit',
        message: `exceeds limits.max_per_run (${limitText(limits.maxPerRun)} of ${countText(counts.selected, 'key')}: ${most} per run) by ${over}; deferred to a later run`,
      });
    else if (reduces && remaining - 1 < limits.minRemaining)
      skipped.push({
        item,
        reason: 'min-remaining',
        message: `would leave ${remaining - 1} untouched keys, and limits.min_remaining is ${limits.minRemaining}`,
      });
    else {
      taken.push(item);
      if (reduces) remaining -= 1;
    }
  }
  return { taken, skipped };
};
