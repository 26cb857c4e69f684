import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  afterReading,
  afterStamps,
  clockOffset,
  stampClock,
  unixMillis,
  unixSeconds,
  type MeasuredClock,
  type OwnStamps,
} from '../../src/core/index.ts';
import type { KeyUse } from '../../src/keys/index.ts';
import { runs } from '../support/storm.ts';
import { engineFixture, stillClock } from './engine-fixture.ts';

const minute = 60_000;
const hour = 60 * minute;
const lag = 10 * minute;

/** What the warehouse does for the evidence, in memory: windows are landed in the gateway's time, as far as it is known. */
const memoryLog = (
  hostNow: () => number,
  uptime: () => number,
  shift: () => number,
  dateShift: () => number,
) => {
  const calls: { name: string; stamp: number; landed: boolean }[] = [];
  let measured: MeasuredClock | undefined;
  let watermark: number | undefined;
  const gatewayNow = () => hostNow() + shift();
  const known = () => measured && stampClock(measured);
  const knownNow = () => hostNow() + clockOffset(known());
  const answered = (): void => {
    // The Date header has whole seconds.
    const offset = Math.floor((gatewayNow() + dateShift()) / 1000) * 1000 + 500 - hostNow();
    const reading = { at: unixMillis(hostNow()), uptime: uptime(), offset, uncertainty: 500 };
    const { clock, suspectFrom } = afterReading(measured, reading);
    measured = clock;
    if (suspectFrom !== undefined && watermark !== undefined)
      watermark = Math.min(watermark, Math.floor(suspectFrom / 1000) - lag / 1000);
  };
  const landed = (name: string, from: number, to: number) =>
    calls.filter((call) => call.landed && call.name === name && call.stamp >= from && call.stamp < to);
  return {
    answered,
    known,
    gatewayNow,
    compare: async (stamps: OwnStamps): Promise<boolean> => {
      const after = measured && afterStamps(measured, stamps, unixMillis(hostNow()));
      if (after === undefined) return false;
      measured = after;
      // The whole log is pulled again.
      watermark = undefined;
      return true;
    },
    call: (name: string): void => {
      calls.push({ name, stamp: Math.floor(gatewayNow() / 1000), landed: false });
    },
    pull: (): void => {
      const until = Math.floor((knownNow() - lag) / 1000);
      const from = watermark ?? Math.floor(knownNow() / 1000) - 86_400;
      answered();
      for (const call of calls) if (call.stamp >= from && call.stamp < until) call.landed = true;
      const settled = until * 1000 <= knownNow() ? until : Math.floor(knownNow() / 1000) - lag / 1000;
      watermark = Math.max(Math.min(watermark ?? settled, settled), settled);
    },
    evidence: {
      use: async (_account: string, name: string, range: { start: number; end: number }): Promise<KeyUse> => {
        const found = landed(name, range.start, range.end);
        const last = Math.max(...found.map(({ stamp }) => stamp));
        return found.length === 0
          ? { calls: 0, models: [] }
          : { calls: found.length, lastCall: unixSeconds(last), models: [] };
      },
      firstCall: async (_account: string, name: string, since: number) => {
        const found = landed(name, since, Number.POSITIVE_INFINITY);
        return found.length === 0 ? undefined : unixSeconds(Math.min(...found.map(({ stamp }) => stamp)));
      },
      logComplete: async (_account: string, range: { start: number; end: number }) => {
        const through = watermark ?? 0;
        if (through >= range.end) return { complete: true } as const;
        const why = 'the log is behind';
        return through > range.start
          ? ({ complete: false, why, through: unixSeconds(through) } as const)
          : ({ complete: false, why } as const);
      },
    },
  };
};

const step = 5 * minute;

const play = async (
  quiet: number,
  switches: number,
  changes: readonly { readonly at: number; readonly host: number; readonly gateway: number }[],
  /** Milliseconds that the Date header is ahead of the gateway's clock, from first to last. */
  date = 0,
): Promise<void> => {
  let time = 1_767_225_600_000;
  const skew = { host: 0, gateway: 0, date };
  const still = stillClock();
  const hostNow = () => time + skew.host;
  const log = memoryLog(
    hostNow,
    () => time,
    () => skew.gateway - skew.host,
    () => skew.date,
  );
  const clock = { ...still.clock, now: () => unixMillis(hostNow()), uptime: () => time };
  await using fixture = await engineFixture({
    time: {
      clock,
      elapse: (millis) => {
        time += millis;
      },
    },
    evidence: log.evidence,
    gatewayNow: log.gatewayNow,
    gatewayClock: log.known,
    compareClock: log.compare,
    onList: log.answered,
  });
  const change = (index: number): void => {
    for (const one of changes) if (one.at === index) Object.assign(skew, one);
  };
  change(0);
  const old = fixture.gateway.add('billing.g1');
  fixture.state.verify = async () => log.call('billing.g2');
  log.pull();
  const id = await fixture.start(old, {
    overlap: 10 * minute,
    retire: { when: 'unused', quiet, ending: 'delete', maxOverlap: hour },
  });
  await fixture.advance([id]);
  let lastOld = time;
  const steps = 60;
  const settledSteps = Math.ceil((4 * quiet + Math.abs(date)) / step) + 80;
  for (let index = 1; index < steps + settledSteps && fixture.gateway.keys.has(old); index += 1) {
    // Consumers call often: a key without a call for so long is one that they have left.
    for (let call = 0; call < 5; call += 1) {
      time += step / 5;
      log.call(index < switches ? 'billing.g1' : 'billing.g2');
      if (index < switches) lastOld = time;
    }
    if (index === steps) Object.assign(skew, { host: 0, gateway: 0, date: changes.length === 0 ? date : 0 });
    else change(index);
    log.pull();
    await fixture.advance();
    if (!fixture.gateway.keys.has(old)) expect(time - lastOld).toBeGreaterThanOrEqual(quiet);
  }
  // Once both clocks are right the old key goes.
  expect(fixture.gateway.keys.has(old)).toBe(false);
};

it('no old key is deleted within quiet of its last call, whatever the clocks of gateway and host do', async () => {
  const skew = fc.integer({ min: -2 * hour, max: 2 * hour });
  const change = fc.record({
    at: fc.nat({ max: 58 }),
    host: skew,
    gateway: skew,
  });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(10 * minute, 30 * minute, 2 * hour),
      fc.integer({ min: 1, max: 58 }),
      fc.array(change, { maxLength: 4 }),
      fc.oneof(fc.constant(0), fc.integer({ min: -26 * hour, max: 26 * hour })),
      (quiet, switches, changes, date) => {
        // A wrong header that agrees with a wrong host looks like a right one.
        fc.pre(
          date === 0 ||
            [{ host: 0, gateway: 0 }, ...changes].every(
              ({ host, gateway }) => Math.abs(date + gateway - host) > 2 * minute,
            ),
        );
        return play(quiet, switches, changes, date);
      },
    ),
    { numRuns: runs(15) },
  );
});

it('an old key is deleted, and not within quiet of its last call, while the Date header alone is wrong', async () => {
  const wrong = fc.integer({ min: -26 * hour, max: 26 * hour });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(10 * minute, 2 * hour),
      fc.integer({ min: 1, max: 58 }),
      wrong,
      (quiet, switches, date) => play(quiet, switches, [], date),
    ),
    { numRuns: runs(15) },
  );
});
