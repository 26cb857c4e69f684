import type { Clock } from '../core/index.ts';
import { boundRows } from './bound-rows.ts';
import type { KnownGap } from './comparisons/comparison.ts';
import type { Engine } from './engine.ts';
import type { LearnedChange } from './profile/learned-changes.ts';
import { readRows, text } from './rows.ts';

type Findings = { readonly learned: LearnedChange; readonly gap: KnownGap };

/** What identifies a finding of each kind within its account. */
const subjectOf: { readonly [Kind in keyof Findings]: (finding: Findings[Kind]) => string } = {
  learned: ({ topic, name, notedAt }) => [topic, name, notedAt].join('/'),
  gap: ({ source, range, notedAt }) => [source, range.start, range.end, notedAt].join('/'),
};

/** Passes new findings to `send`, and records them as notified once `send` has succeeded. */
export type NotifyOnce = <Kind extends keyof Findings>(
  kind: Kind,
  account: string,
  findings: readonly Findings[Kind][],
  send: (fresh: readonly Findings[Kind][]) => Promise<void>,
) => Promise<void>;

export const createNotifyOnce =
  (engine: Engine, clock: Clock): NotifyOnce =>
  async (kind, account, findings, send) => {
    const rows = await engine.state(async (connection) =>
      readRows(connection, 'SELECT subject FROM notified WHERE account = $account AND kind = $kind', {
        account,
        kind,
      }),
    );
    const known = new Set(rows.map((row) => text(row, 'subject')));
    const fresh = findings.filter((finding) => !known.has(subjectOf[kind](finding)));
    if (fresh.length === 0) return;
    await send(fresh);
    await engine.state(async (connection) =>
      boundRows(connection, { subject: 'VARCHAR' }, fresh, (finding) => ({
        subject: subjectOf[kind](finding),
      })).execute((table) => `INSERT INTO notified SELECT $account, $kind, subject, $now FROM ${table}`, {
        account,
        kind,
        now: clock.now(),
      }),
    );
  };
