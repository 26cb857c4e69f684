import {
  afterReading,
  afterStamps,
  clockOffset,
  stampClock,
  unixMillis,
  type Clock,
  type ClockReading,
  type GatewayClock,
  type MeasuredClock,
  type OwnStamps,
  type UnixMillis,
} from '../../core/index.ts';
import {
  all,
  column,
  flag,
  millis,
  optional,
  rowReader,
  sparse,
  inTransaction,
  text,
  wholeNumber,
  type Sql,
  type StateEngine,
} from '../../storage/index.ts';
import type { AccountStore } from '../schema.ts';
import { takeBackEarly, takeBackFrom } from '../logs/log-ledger.ts';

/** What is known about the clocks of the gateways. */
export type GatewayClocks = {
  /** Records a reading. When a clock was set back, windows landed for later times count as not landed. */
  readonly note: (account: string, reading: ClockReading) => Promise<void>;
  /**
   * Compares the `Date` header with stamps of our own. Where they contradict it, the stamps' clock is used until the
   * header jumps, and windows landed for times that were in its future count as not landed. Returns whether it changed.
   */
  readonly compare: (account: string, stamps: OwnStamps) => Promise<boolean>;
  /** The clock that stamps rows and keys. */
  readonly of: (account: string) => GatewayClock | undefined;
  /** The gateway's time, which stamps rows and keys, now or at a local time; the local time when no reading exists. */
  readonly now: (account: string, local?: UnixMillis) => UnixMillis;
};

/** Milliseconds after which an unchanged measurement is stored again. */
const writeEvery = 60_000;

const measuredClock = rowReader({
  at: column('measured_at', millis),
  uptime: sparse(wholeNumber),
  offset: column('clock_offset', wholeNumber),
  ...all(wholeNumber, 'uncertainty', 'jump'),
  since: millis,
  stampsFrom: (row, name) => optional(millis)(row, name) ?? millis(row, 'measured_at'),
});

const dateError = rowReader({
  error: column('date_error', wholeNumber),
  isConfirmed: column('error_confirmed', flag),
  foundAt: column('error_found_at', millis),
});

const read = async (connection: Sql): Promise<Map<string, MeasuredClock>> => {
  const rows = await connection.rows('SELECT * FROM gateway_clock');
  return new Map(
    rows.map((row) => [
      text(row, 'account'),
      {
        ...measuredClock(row),
        ...(optional(wholeNumber)(row, 'date_error') === undefined ? {} : { dateError: dateError(row) }),
      },
    ]),
  );
};

const write = async (
  connection: Sql,
  account: string,
  { dateError: wrong, ...clock }: MeasuredClock,
): Promise<void> => {
  await connection.execute('DELETE FROM gateway_clock WHERE account = $account', { account });
  await connection.execute(
    `INSERT INTO gateway_clock (account, measured_at, uptime, clock_offset, uncertainty, since, jump, stamps_from,
       date_error, error_confirmed, error_found_at)
     VALUES ($account, $at, $uptime, $offset, $uncertainty, $since, $jump, $stampsFrom,
       $error, $isConfirmed, $foundAt)`,
    {
      account,
      ...clock,
      uptime: clock.uptime ?? null,
      error: wrong?.error ?? null,
      isConfirmed: wrong?.isConfirmed ?? null,
      foundAt: wrong?.foundAt ?? null,
    },
  );
};

/** Maximum delay of late rows, in seconds (docs/gateway.md G16.1). */
const lateness = 600;

/** What a correction of a clock changes. */
const writes = ['gateway_clock', 'log_window', 'log_cursor'] as const;

/** Loads what is stored; later readings are also cached in memory. */
export const openGatewayClocks = async (
  engine: StateEngine,
  rowStore: AccountStore,
  clock: Clock,
): Promise<GatewayClocks> => {
  const known = await engine.state(read);
  const written = new Map<string, UnixMillis>();
  const of = (account: string): GatewayClock | undefined => {
    const measured = known.get(account);
    return measured && stampClock(measured);
  };
  return {
    note: async (account, reading) => {
      const before = known.get(account);
      const { clock: after, suspectFrom } = afterReading(before, reading);
      known.set(account, after);
      const last = written.get(account);
      const isAlert = before === undefined || suspectFrom !== undefined || last === undefined;
      if (!isAlert && Math.abs(reading.at - last) < writeEvery) return;
      written.set(account, reading.at);
      if (suspectFrom === undefined) {
        await engine.state(async (connection) =>
          inTransaction(connection, async () => write(connection, account, after)),
        );
        return;
      }
      await rowStore.publish({ account, writes }, async ({ connection }) => {
        await write(connection, account, after);
        await takeBackFrom(connection, account, Math.floor(suspectFrom / 1000) - lateness);
      });
    },
    compare: async (account, stamps) => {
      const before = known.get(account);
      const after = before && afterStamps(before, stamps, clock.now());
      if (after === undefined) return false;
      known.set(account, after);
      const { offset, date } = stampClock(after);
      await rowStore.publish({ account, writes }, async ({ connection }) => {
        await write(connection, account, after);
        if (date !== undefined) await takeBackEarly(connection, account, offset, lateness);
      });
      return true;
    },
    of,
    now: (account, local = clock.now()) => unixMillis(local + clockOffset(of(account))),
  };
};
