import { neverAgain, type OutboxEntry, type OutboxRow, type OutboxTable } from '../../src/storage/index.ts';

export type MemoryOutbox = OutboxTable & { readonly rows: Map<string, OutboxRow> };

const waiting: readonly string[] = ['queued', 'deferred', 'unknown'];

/** The outbox in memory: nothing of it survives the process. */
export const createMemoryOutbox = (): MemoryOutbox => {
  const rows = new Map<string, OutboxRow>();
  const isDue = (row: OutboxRow, now: number): boolean =>
    waiting.includes(row.state) && row.nextAttempt <= now;
  const change = (id: string, to: Partial<OutboxRow>): OutboxRow => {
    const row = rows.get(id);
    if (row === undefined) throw new Error(`no row ${id}`);
    const next = { ...row, ...to };
    rows.set(id, next);
    return next;
  };
  const all = (): readonly OutboxRow[] => [...rows.values()];
  /** False when its key is known. */
  const add = (entry: OutboxEntry): boolean => {
    const { account, kind, subject, recipient, queuedAt } = entry;
    const isKnown = all().some(
      (row) =>
        row.account === account &&
        row.kind === kind &&
        row.subject === subject &&
        row.recipient === recipient,
    );
    if (isKnown) return false;
    const id = String(rows.size + 1);
    rows.set(id, {
      ...entry,
      route: entry.route ?? 'mail',
      id,
      state: 'queued',
      attempts: 0,
      doubts: 0,
      triedFrom: queuedAt,
      nextAttempt: queuedAt,
      changedAt: queuedAt,
    });
    return true;
  };
  return {
    rows,
    put: async (entries) => entries.filter(add),
    claim: (id, at) => {
      const row = rows.get(id);
      if (row === undefined || !isDue(row, at)) return Promise.resolve(undefined);
      return Promise.resolve(change(id, { state: 'sending', attempts: row.attempts + 1, changedAt: at }));
    },
    due: (now, route) =>
      Promise.resolve(
        all()
          .filter((row) => isDue(row, now) && (route === undefined || row.route === route))
          .toSorted((left, right) => left.nextAttempt - right.nextAttempt),
      ),
    settle: (id, { state, at, nextAttempt = neverAgain, error, doubt = false }) => {
      const { lastError: _, ...row } = rows.get(id) ?? change(id, {});
      if (row.state === 'sent' || row.state === 'dropped') return Promise.resolve();
      rows.set(id, {
        ...row,
        state,
        changedAt: at,
        nextAttempt,
        doubts: row.doubts + (doubt ? 1 : 0),
        ...(error === undefined ? {} : { lastError: error }),
      });
      return Promise.resolve();
    },
    putOff: (ids, { at, until, error }) => {
      const put = all().filter((row) => ids.includes(row.id) && isDue(row, at));
      for (const { id, state } of put)
        change(id, {
          state: state === 'unknown' ? state : 'deferred',
          nextAttempt: until,
          changedAt: at,
          lastError: error,
        });
      return Promise.resolve(put.length);
    },
    resend: (id, at) => {
      const row = rows.get(id);
      if (row === undefined || row.state === 'sending') return Promise.resolve(undefined);
      const to = { state: 'queued', nextAttempt: at, changedAt: at, triedFrom: at, doubts: 0 } as const;
      return Promise.resolve(change(id, to));
    },
    drop: (id, at) => {
      const row = rows.get(id);
      if (row === undefined || ['sending', 'sent', 'dropped'].includes(row.state))
        return Promise.resolve(undefined);
      return Promise.resolve(change(id, { state: 'dropped', nextAttempt: neverAgain, changedAt: at }));
    },
    hold: (at) => {
      const isOver = ({ state, nextAttempt }: OutboxRow): boolean =>
        state !== 'sending' && (!waiting.includes(state) || nextAttempt === neverAgain);
      const held = all().filter((row) => !isOver(row));
      for (const { id } of held) change(id, { state: 'held', nextAttempt: neverAgain, changedAt: at });
      return Promise.resolve(held.length);
    },
    list: ({ states, kind, subject, ids, route, topic, limit } = {}) =>
      Promise.resolve(
        all()
          .filter(
            (row) =>
              (states?.includes(row.state) ?? true) &&
              (ids?.includes(row.id) ?? true) &&
              row.kind === (kind ?? row.kind) &&
              row.subject === (subject ?? row.subject) &&
              row.route === (route ?? row.route) &&
              (topic === undefined || row.topics?.includes(topic) === true),
          )
          .slice(limit === undefined ? 0 : -limit),
      ),
    counts: () => {
      const isFinal = (row: OutboxRow): boolean => row.nextAttempt === neverAgain;
      const count = (holds: (row: OutboxRow) => boolean): number => all().filter(holds).length;
      return Promise.resolve({
        waiting: count((row) => row.state === 'sending' || (waiting.includes(row.state) && !isFinal(row))),
        failed: count(({ state }) => state === 'failed'),
        unknown: count((row) => row.state === 'unknown' && isFinal(row)),
        held: count(({ state }) => state === 'held'),
      });
    },
    files: (since) => {
      const isNeeded = ({ state, changedAt }: OutboxRow): boolean =>
        (state !== 'sent' && state !== 'dropped') || changedAt > since;
      const needed = new Map<string, boolean>();
      for (const row of all()) needed.set(row.file, needed.get(row.file) === true || isNeeded(row));
      return Promise.resolve([...needed].map(([file, isKept]) => ({ file, needed: isKept })));
    },
  };
};
