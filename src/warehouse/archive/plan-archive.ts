import type { UnixMillis } from '../../core/index.ts';
import type { MonthRows } from './months.ts';

/** When a month is archived, and when its rows leave the table; both in milliseconds after its end. */
export type ArchivePolicy = {
  /** How long to wait for late rows of a month. */
  readonly settle: number;
  /** Minimum age of its youngest row for a month to leave; when omitted, no month leaves. */
  readonly retain?: number | undefined;
};

export type PlannedMonth = MonthRows & {
  /** The file must be written: none contains the month as it is now. */
  readonly write: boolean;
  /** Its rows leave the table once the file is verified. */
  readonly leave: boolean;
};

/**
 * Plans the months that have rows in the table, oldest first; `copied` are those whose file is intact. A month leaves
 * as a whole, when all of it is older than `retain`. Pure.
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
