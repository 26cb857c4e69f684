import { type Clock, type Interval, type NamedGates, type UnixSeconds, fault } from '../../core/index.ts';
import type { GatewayClocks } from '../clocks/gateway-clocks.ts';
import type { StateEngine } from '../../storage/index.ts';
import type { AccountStore } from '../schema.ts';
import { readKindLabels, type KindLabel } from '../kinds/kind-labels.ts';
import { readUnclear } from '../kinds/settle-kinds.ts';
import { readAmounts, writeAmounts, type AccountAmounts } from './amounts.ts';
import { correctAmounts } from './correct-amounts.ts';
import { landLogWindow } from './land-logs.ts';
import type { AmountForm, LandedWindow, LogBatch } from './log-batch.ts';
import {
  readLandings,
  readLedger,
  readRange,
  removeFutureRows,
  type Landing,
  type LedgerWindow,
} from './log-ledger.ts';
import { readQuarantine } from '../quarantine/quarantine.ts';
import type { QuarantinedRow } from '../quarantine/quarantined-row.ts';

export type LogsTable = {
  /**
   * Whole or not at all: one transaction deletes the window's rows, inserts the file's, moves the cursor and writes the
   * ledger. @throws faults export-row-invalid, export-timestamp-unreadable, export-amount-inexact, export-amounts-changed,
   * export-currency-changed, export-truncated (the total line disagrees), export-emptied (no row where there were some), disk-full.
   */
  readonly landWindow: (batch: LogBatch, signal?: AbortSignal) => Promise<LandedWindow>;
  /** The end of the range that regular pulls have covered without a gap, seconds UTC. */
  readonly cursor: (account: string) => Promise<UnixSeconds | undefined>;
  /** The range that regular pulls have covered without a gap. */
  readonly watermark: (account: string) => Promise<Interval<UnixSeconds> | undefined>;
  /** Call it before planning a pull: removes what a clock that ran ahead has covered. */
  readonly removeFutureRows: (account: string) => Promise<void>;
  /** Landings of times from the moment on. */
  readonly landings: (account: string, from: UnixSeconds) => Promise<readonly Landing[]>;
  /** Every landing, oldest first. */
  readonly windows: (account: string) => Promise<readonly LedgerWindow[]>;
  /** Quarantined rows that no later landing has replaced, of the range or of all time; oldest first. */
  readonly quarantined: (
    account: string,
    range?: Interval<UnixSeconds>,
  ) => Promise<readonly QuarantinedRow[]>;
  /**
   * Rows of the range that count as calls although they have no charge and no tokens, and no column names their kind.
   */
  readonly unclear: (account: string, range: Interval<UnixSeconds>) => Promise<number>;
  /** The evidence of labels that may identify kinds of rows, and their meanings. */
  readonly kindLabels: (account: string) => Promise<readonly KindLabel[]>;
  /** What is known about the account's amounts. */
  readonly amounts: (account: string) => Promise<AccountAmounts | undefined>;
  /**
   * Converts integer units that an earlier version stored as currency; returns the changed ranges, which are restated.
   */
  readonly correctAmounts: (account: string) => Promise<readonly Interval<UnixSeconds>[]>;
  /** Stores the form that another source has proven, if it was open. */
  readonly proveAmounts: (account: string, form: AmountForm) => Promise<void>;
};

export const createLogsTable = (
  engine: StateEngine,
  clock: Clock,
  clocks: Pick<GatewayClocks, 'now'>,
  rowStore: AccountStore,
  oneAnAccount: NamedGates,
): LogsTable => {
  return {
    landWindow: async (batch, signal) => {
      if (batch.account === '') throw fault('wrong-use', 'the account has no name');
      return oneAnAccount(batch.account, async () => {
        const now = clock.now();
        const gatewayNow = clocks.now(batch.account, now);
        return landLogWindow(rowStore, batch, { now, gatewayNow }, signal);
      });
    },
    cursor: async (account) =>
      engine.state(async (connection) => (await readRange(connection, account))?.end),
    watermark: async (account) => engine.state(async (connection) => readRange(connection, account)),
    removeFutureRows: async (account) =>
      rowStore.publish({ account, reads: ['log_window'], writes: ['log_cursor'] }, async ({ connection }) =>
        removeFutureRows(connection, account, clocks.now(account)),
      ),
    landings: async (account, from) =>
      engine.state(async (connection) => readLandings(connection, account, from, clocks.now(account))),
    windows: async (account) => engine.state(async (connection) => readLedger(connection, account)),
    quarantined: async (account, range) =>
      engine.state(async (connection) => readQuarantine(connection, account, range)),
    unclear: async (account, range) =>
      engine.state(async (connection) => readUnclear(connection, account, range)),
    kindLabels: async (account) => engine.state(async (connection) => readKindLabels(connection, account)),
    amounts: async (account) => engine.state(async (connection) => readAmounts(connection, account)),
    correctAmounts: async (account) =>
      oneAnAccount(account, async () =>
        rowStore.publish(
          {
            account,
            reads: ['log_amounts', 'log_window'],
            writes: ['call_log', 'restatement', 'rollup_mark'],
          },
          async (change) => correctAmounts(change, account, clock.now()),
        ),
      ),
    proveAmounts: async (account, form) =>
      oneAnAccount(account, async () =>
        rowStore.publish({ account, writes: ['log_amounts'] }, async ({ connection }) => {
          const amounts = await readAmounts(connection, account);
          if (amounts === undefined || amounts.form !== undefined) return;
          await writeAmounts(connection, account, { ...amounts, form, served: form, decidedBy: 'data' });
        }),
      ),
  };
};
