import type { UnixMillis } from '../../core/index.ts';

/** A column of the log export that was seen at some time. */
export type KnownColumn = {
  readonly name: string;
  /** Its role; undefined when it is stored as text under its own name. */
  readonly role: string | undefined;
  /** Whether it is served when no columns are requested; otherwise only when requested by name. */
  readonly shownUnasked: boolean;
  readonly firstSeen: UnixMillis;
  readonly lastSeen: UnixMillis;
  readonly goneAt: UnixMillis | undefined;
};

export type SeenColumn = { readonly name: string; readonly role?: string };

/** The columns that one pull saw in the export. */
export type SeenColumns = {
  /** The columns of an export without a column list; undefined when none had a header. */
  readonly unasked: readonly SeenColumn[] | undefined;
  /** The columns of an export with a column list, and the requested names. */
  readonly answered?: { readonly asked: readonly string[]; readonly columns: readonly SeenColumn[] };
};

export type ColumnChanges = {
  readonly columns: readonly KnownColumn[];
  /** New columns, or columns that reappeared; empty when none were known before. */
  readonly appeared: readonly KnownColumn[];
  readonly gone: readonly KnownColumn[];
};

/**
 * The state after a pull. A column has disappeared when it is missing where it was expected: in an export without a
 * column list if it was served so before, otherwise in one that requested it by name. A column that was not requested
 * gives no evidence.
 */
export const columnChanges = (
  known: readonly KnownColumn[],
  seen: SeenColumns,
  now: UnixMillis,
): ColumnChanges => {
  const unasked = new Map((seen.unasked ?? []).map((column) => [column.name, column]));
  const answered = new Map((seen.answered?.columns ?? []).map((column) => [column.name, column]));
  const present = new Map([...answered, ...unasked]);
  const asked = new Set(seen.answered?.asked);
  const before = new Map(known.map((column) => [column.name, column]));
  const columns: KnownColumn[] = [];
  const appeared: KnownColumn[] = [];
  const gone: KnownColumn[] = [];
  for (const [name, { role }] of present) {
    const old = before.get(name);
    const column = {
      name,
      role,
      shownUnasked: unasked.has(name) || (old?.shownUnasked === true && seen.unasked === undefined),
      firstSeen: old?.firstSeen ?? now,
      lastSeen: now,
      goneAt: undefined,
    };
    columns.push(column);
    if (known.length > 0 && (old === undefined || old.goneAt !== undefined)) appeared.push(column);
  }
  for (const old of known) {
    if (present.has(old.name)) continue;
    const missed = old.shownUnasked ? seen.unasked !== undefined : asked.has(old.name);
    const column = missed && old.goneAt === undefined ? { ...old, goneAt: now } : old;
    columns.push(column);
    if (column !== old) gone.push(column);
  }
  return { columns, appeared, gone };
};
