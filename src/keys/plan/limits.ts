import { countText } from '../../core/index.ts';

/** The limit of keys per run: a count, or a share of the selected keys in hundredths of a percent. */
export type MaxPerRun = { readonly count: number } | { readonly hundredths: number };

export type Limits = {
  readonly maxPerRun: MaxPerRun;
  /** This number of selected keys must stay unchanged. */
  readonly minRemaining: number;
};

/** 10%. */
export const defaultMaxPerRun: MaxPerRun = { hundredths: 1000 };

/** Parses `5`, `10%` or `2.5%`; undefined for anything else, or more than 100%. */
export const readMaxPerRun = (written: number | string): MaxPerRun | undefined => {
  const text = String(written);
  if (/^[1-9]\d{0,5}$/.test(text)) return { count: Number(text) };
  const [, whole, part = ''] = /^(\d{1,3})(?:\.(\d{1,2}))?%$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const hundredths = Number(whole) * 100 + Number(part.padEnd(2, '0'));
  return hundredths < 1 || hundredths > 10_000 ? undefined : { hundredths };
};

/** At least 1, because a share of a small account would otherwise never allow a key. */
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

export const withinLimits = <T>(
  due: readonly T[],
  limits: Limits,
  counts: {
    readonly selected: number;
    /** Those of them that work and that no operation changes. */
    readonly remaining: number;
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
