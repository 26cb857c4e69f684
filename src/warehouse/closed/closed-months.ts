import type { Clock } from '../../core/index.ts';
import type { StateEngine } from '../../storage/index.ts';
import { sumsTables } from '../cube/read-sums.ts';
import type { RefreshRollup } from '../rollup/refresh.ts';
import type { AccountStore } from '../schema.ts';
import { closeMonth, rangeOfMonth, type Closing, type MonthToClose } from './close-month.ts';
import {
  readBooked,
  readClosedMonths,
  readClosedPrices,
  readClosedRows,
  readCorrections,
  type BookedSpend,
  type ClosedCorrection,
  type ClosedMonth,
  type ClosedPrices,
  type ClosedRow,
} from './closed-rows.ts';

/** The months that accounting has received, by account. What was closed never changes. */
export type ClosedMonths = {
  /** Stores the rows of a month, and what changed since in the closed months before it. A month is closed once. */
  readonly close: (request: MonthToClose, signal?: AbortSignal) => Promise<Closing>;
  readonly months: (account: string) => Promise<readonly ClosedMonth[]>;
  /** Of the month, or of one day of it. */
  readonly rows: (account: string, month: string, day?: string) => Promise<readonly ClosedRow[]>;
  /** Of the month and of the corrections that are booked in it, by key. */
  readonly booked: (account: string, month: string) => Promise<readonly BookedSpend[]>;
  readonly prices: (account: string, month: string) => Promise<readonly ClosedPrices[]>;
  /** What changed in earlier months, found when this one was closed. */
  readonly corrections: (account: string, bookedMonth: string) => Promise<readonly ClosedCorrection[]>;
};

type ClosedDeps = {
  readonly state: StateEngine;
  readonly rowStore: AccountStore;
  readonly refresh: RefreshRollup;
  readonly clock: Pick<Clock, 'now'>;
};

export const createClosedMonths = ({ state, rowStore, refresh, clock }: ClosedDeps): ClosedMonths => ({
  close: async (request, signal) => {
    const { account, zone, month } = request;
    await refresh({ account, zone, range: rangeOfMonth(month, zone) }, signal);
    return rowStore.publish(
      {
        account,
        reads: sumsTables,
        writes: ['closed_month', 'closed_row', 'closed_price', 'closed_correction'],
      },
      async (change) => closeMonth(change, request, clock.now()),
      { signal, isKept: ({ state }) => state === 'closed' },
    );
  },
  months: async (account) => state.state(async (connection) => readClosedMonths(connection, account)),
  rows: async (account, month, day) =>
    state.bulk(async (connection) => readClosedRows(connection, account, month, day)),
  booked: async (account, month) => state.bulk(async (connection) => readBooked(connection, account, month)),
  prices: async (account, month) =>
    state.bulk(async (connection) => readClosedPrices(connection, account, month)),
  corrections: async (account, bookedMonth) =>
    state.bulk(async (connection) => readCorrections(connection, account, bookedMonth)),
});
