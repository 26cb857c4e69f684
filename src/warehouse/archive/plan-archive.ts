import type { UnixMillis } from '../../core/index.ts';
import type { MonthRows } from './months.ts';

/** When a month is archived, and when its rows leave the table; both in milliseconds after its end. */
export type ArchivePolicy = {
  /** How long a month is left to late rows. */
  readonly settle: number;
  /** How old its youngest row must be to leave; nothing leaves when left out. */
  readonly retain?: number | undefined;
};

export type PlannedMonth = MonthRows & {
  /** A file is to be written: there is none that holds the month as it is. */
  readonly write: boolean;
  /** Its rows leave the table once the file is verified. */
  readonly leave: boolean;
};

/**
 * What is to be done with the months that have rows in the table, the oldest first; `copied` are those whose file is good.
 * A month leaves whole, and so not before all of it is older than `retain`. Pure.
 */
export const planArchive = (
  inTable: readonly MonthRows[],
  copied: ReadonlySet<string>,
  now: UnixMillis,
  { settle, retain }: ArchivePolicy,
): readonly PlannedMonth[] =>
  inTable.flatMap((month) => {
    const age = now - month.range.end * 1000;
    if (age < settle) return [];
    const write = !copied.has(month.name);
    const leave = retain !== undefined && age >= retain;
    return write || leave ? [{ ...month, write, leave }] : [];
  });
