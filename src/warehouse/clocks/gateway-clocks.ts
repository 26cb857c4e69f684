import type { DuckDBConnection } from '@duckdb/node-api';
import { afterReading, clockOffset, unixMillis } from '../../core/index.ts';
import type { Clock, ClockReading, GatewayClock, UnixMillis } from '../../core/index.ts';
import type { Engine } from '../engine.ts';
import { takeBackFrom } from '../logs/log-ledger.ts';
import { all, column, millis, rowReader, sparse } from '../row-reader.ts';
import { execute, inTransaction, readRows, text, wholeNumber } from '../rows.ts';

/** What is known about the clocks of the gateways. */
export type GatewayClocks = {
  /** Records a reading. When a clock was set back, windows landed for later times count as not landed. */
  readonly note: (account: string, reading: ClockReading) => Promise<void>;
  readonly of: (account: string) => GatewayClock | undefined;
  /** The gateway's current time, which stamps rows and keys; the local time when no reading exists. */
  readonly now: (account: string) => UnixMillis;
};

/** Milliseconds after which an unchanged measurement is stored again. */
const writeEvery = 60_000;

const gatewayClock = rowReader({
  at: column('measured_at', millis),
  uptime: sparse(wholeNumber),
  offset: column('clock_offset', wholeNumber),
  ...all(wholeNumber, 'uncertainty', 'jump'),
  since: millis,
});

const read = async (connection: DuckDBConnection): Promise<Map<string, GatewayClock>> => {
  const rows = await readRows(connection, 'SELECT * FROM gateway_clock');
  return new Map(rows.map((row) => [text(row, 'account'), gatewayClock(row)]));
};

const write = async (connection: DuckDBConnection, account: string, clock: GatewayClock): Promise<void> => {
  await execute(connection, 'DELETE FROM gateway_clock WHERE account = $account', { account });
  await execute(
    connection,
    `INSERT INTO gateway_clock (account, measured_at, uptime, clock_offset, uncertainty, since, jump)
     VALUES ($account, $at, $uptime, $offset, $uncertainty, $since, $jump)`,
    { account, ...clock, uptime: clock.uptime ?? null },
  );
};

/** Maximum delay of late rows, in seconds (docs/gateway.md G16.1). */
const lateness = 600;

/** Loads what is stored; later readings are also cached in memory. */
export const openGatewayClocks = async (engine: Engine, clock: Clock): Promise<GatewayClocks> => {
  const known = await engine.state(read);
  const written = new Map<string, UnixMillis>();
  return {
    note: async (account, reading) => {
      const before = known.get(account);
      const { clock: after, suspectFrom } = afterReading(before, reading);
      known.set(account, after);
      const last = written.get(account);
      const isAlert = before === undefined || suspectFrom !== undefined || last === undefined;
      if (!isAlert && Math.abs(reading.at - last) < writeEvery) return;
      written.set(account, reading.at);
      await engine.state(async (connection) =>
        inTransaction(connection, async () => {
          await write(connection, account, after);
          if (suspectFrom !== undefined)
            await takeBackFrom(connection, account, Math.floor(suspectFrom / 1000) - lateness);
        }),
      );
    },
    of: (account) => known.get(account),
    now: (account) => unixMillis(clock.now() + clockOffset(known.get(account))),
  };
};
