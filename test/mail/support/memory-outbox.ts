import { unixMillis } from '../../../src/base/index.ts';
import type { OutboxRow, OutboxTable } from '../../../src/warehouse/index.ts';

export type MemoryOutbox = OutboxTable & { readonly rows: Map<string, OutboxRow> };

const never = unixMillis(Number.MAX_SAFE_INTEGER);

/** The outbox port over a map, with the same rules as the table. */
export const memoryOutbox = (): MemoryOutbox => {
  const rows = new Map<string, OutboxRow>();
  const isDue = (row: OutboxRow, now: number): boolean =>
    ['queued', 'deferred', 'unknown'].includes(row.state) && row.nextAttempt <= now;
  const change = (id: string, to: Partial<OutboxRow>): OutboxRow => {
    const row = rows.get(id);
    if (row === undefined) throw new Error(`no row ${id}`);
    const next = { ...row, ...to };
    rows.set(id, next);
    return next;
  };
  return {
    rows,
    put: (entry) => {
      for (const row of rows.values())
        if (
          row.account === entry.account &&
          row.kind === entry.kind &&
          row.subject === entry.subject &&
          row.recipient === entry.recipient
        )
          return Promise.resolve('known');
      const id = String(rows.size + 1);
      const { queuedAt } = entry;
      rows.set(id, {
        ...entry,
        id,
        state: 'queued',
        attempts: 0,
        nextAttempt: queuedAt,
        changedAt: queuedAt,
      });
      return Promise.resolve('queued');
    },
    claim: (id, at) => {
      const row = rows.get(id);
      if (row === undefined || !isDue(row, at)) return Promise.resolve(undefined);
      return Promise.resolve(change(id, { state: 'sending', attempts: row.attempts + 1, changedAt: at }));
    },
    due: (now) => Promise.resolve([...rows.values()].filter((row) => isDue(row, now))),
    settle: (id, { state, at, nextAttempt, error }) => {
      change(id, {
        state,
        changedAt: at,
        nextAttempt: nextAttempt ?? never,
        ...(error === undefined ? {} : { lastError: error }),
      });
      return Promise.resolve();
    },
    release: (at) => {
      const left = [...rows.values()].filter(({ state }) => state === 'sending');
      for (const { id } of left) change(id, { state: 'unknown', nextAttempt: at, changedAt: at });
      return Promise.resolve(left.length);
    },
    list: () => Promise.resolve([...rows.values()]),
  };
};
