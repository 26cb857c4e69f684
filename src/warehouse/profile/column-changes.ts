import type { UnixMillis } from '../../core/index.ts';

/** A column of the log export as it was ever seen. */
export type KnownColumn = {
  readonly name: string;
  /** What it is taken for; nothing where it is kept as text under its own name. */
  readonly role: string | undefined;
  /** Whether it comes where no columns are asked for; else only when it is asked for by name. */
  readonly shownUnasked: boolean;
  readonly firstSeen: UnixMillis;
  readonly lastSeen: UnixMillis;
  readonly goneAt: UnixMillis | undefined;
};

export type SeenColumn = { readonly name: string; readonly role?: string };

/** What one pull saw of the export's columns. */
export type SeenColumns = {
  /** Those of an export that no columns were asked for; nothing where none came with a header. */
  readonly unasked: readonly SeenColumn[] | undefined;
  /** Those of an export that columns were asked for by name, and these names. */
  readonly answered?: { readonly asked: readonly string[]; readonly columns: readonly SeenColumn[] };
};

export type ColumnChanges = {
  readonly columns: readonly KnownColumn[];
  /** Never seen before, or seen again after they had gone; empty where nothing was known before. */
  readonly appeared: readonly KnownColumn[];
  readonly gone: readonly KnownColumn[];
};

/**
 * What is known after a pull. A column has gone when it is missing where it would have come: from an export that no columns
 * were asked for, if it came so before, else from one that asked for it by name. What was not asked for says nothing.
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
