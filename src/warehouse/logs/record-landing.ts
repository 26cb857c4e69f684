import type { Sql } from '../../storage/index.ts';
import { isDeepStrictEqual } from 'node:util';
import { toMillis, interval, type Money, type UnixMillis, widen } from '../../core/index.ts';
import { writeLearnedChanges } from '../profile/learned-changes.ts';
import { keepQuarantine } from '../quarantine/quarantine.ts';
import { writeAmounts, type AccountAmounts } from './amounts.ts';
import type { LandedWindow, LogBatch, SeenKinds } from './log-batch.ts';
import { readRange, writeLedger, writeRange } from './log-ledger.ts';

type Rows = { readonly rows: number; readonly quota: Money };

/** What a landing did to the rows of its window. */
export type Landing = {
  readonly batch: LogBatch;
  /** Whether the window holds the rows that it held before, and they prove nothing new. */
  readonly isUnchanged: boolean;
  readonly replaced: Rows;
  readonly landed: Rows;
  readonly kinds: SeenKinds;
  /** Quarter hours landed before whose sums changed. */
  readonly restated: number;
  /** The account's amounts: as stored before, as the window was judged by, and what its rows show. */
  readonly kept: AccountAmounts | undefined;
  readonly before: AccountAmounts;
  readonly amounts: AccountAmounts;
};

/** Notifies operators that the gateway serves amounts in another form than before, and how they are stored. */
const noteChange = async (
  connection: Sql,
  { account, window }: LogBatch,
  before: AccountAmounts,
  { served, form }: AccountAmounts,
  now: UnixMillis,
): Promise<void> => {
  if (served === undefined || before.served === undefined || served === before.served) return;
  await writeLearnedChanges(connection, account, [
    {
      topic: 'amounts-changed',
      name: served,
      from: toMillis(window.start),
      form: served === form ? 'stored' : 'converted',
      notedAt: now,
    },
  ]);
};

/** What `recordLanding` changes. */
export const recordedTables = [
  'log_amounts',
  'learned_change',
  'log_quarantine',
  'log_window',
  'log_cursor',
] as const;

/** Stores what was learned from a landing, its quarantined rows, its row in the ledger and the covered range. */
export const recordLanding = async (
  connection: Sql,
  { batch, replaced, landed, kinds, restated, kept, before, amounts }: Landing,
  now: UnixMillis,
  gatewayNow: UnixMillis,
): Promise<LandedWindow> => {
  const covered = await readRange(connection, batch.account);
  // The newest rows show what the gateway serves now; older ones that are pulled again may have another form.
  const isNewest = covered === undefined || batch.window.end > covered.end;
  const learned = isNewest ? amounts : { ...amounts, served: before.served ?? amounts.served };
  if (!isDeepStrictEqual(learned, kept)) await writeAmounts(connection, batch.account, learned);
  await noteChange(connection, batch, before, learned, now);
  const quarantined = await keepQuarantine(connection, batch, now);
  const result: LandedWindow = {
    rows: landed.rows,
    replaced: replaced.rows,
    quota: landed.quota,
    replacedQuota: replaced.quota,
    ...(quarantined === 0 ? {} : { quarantined }),
    ...(batch.columns.some(({ role }) => role === 'kind') ? { kinds } : {}),
  };
  await writeLedger(connection, batch, result, amounts.form, now, gatewayNow);
  const { start, end } = batch.window;
  const settled = batch.settled !== undefined && batch.settled < end ? batch.settled : end;
  if (settled > start) {
    const range = widen(covered, interval(start, settled), batch.opensRange);
    if (range !== undefined) await writeRange(connection, batch.account, range);
  }
  return restated === 0 ? result : { ...result, restated };
};
