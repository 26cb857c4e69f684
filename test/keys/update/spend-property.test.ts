import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addMoney,
  compareMoney,
  hasCode,
  money,
  subtractMoney,
  unixSeconds,
  zero,
  type Money,
} from '../../../src/core/index.ts';
import type { ApiKey } from '../../../src/gateway/index.ts';
import type { KeyChange } from '../../../src/keys/update/compare-keys.ts';
import { wasWritten } from '../../../src/keys/update/judge-remain.ts';
import { updateFields, type UpdateKnowledge } from '../../../src/keys/update/knowledge.ts';
import { putWhole, type UpdatingGateway } from '../../../src/keys/update/put-whole.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { runs } from '../../support/storm.ts';

/** A gateway in memory with one limited key; calls spend when they are told to. */
const spendingGateway = (remain: Money) => {
  let key: ApiKey = {
    id: 7,
    name: 'billing.g2',
    keyMask: undefined,
    status: 1,
    remainQuota: remain,
    unlimitedQuota: false,
    expiredTime: 'never',
    group: 'vip',
    createdTime: undefined,
    rest: {},
  };
  const sent: (Money | undefined)[] = [];
  const spend = (amount: Money): void => {
    key = { ...key, remainQuota: subtractMoney(key.remainQuota, amount) };
  };
  return {
    sent,
    spend,
    key: () => key,
    gateway: (before: () => void, after: () => void): UpdatingGateway => ({
      readKey: async () => key,
      patchKey: async ({ rest: _rest, ...patch }) => {
        before();
        sent.push(patch.remainQuota);
        key = { ...key, ...patch };
        after();
      },
    }),
  };
};

const knowing = (keeps: boolean): UpdateKnowledge => ({
  kept: new Set(keeps ? updateFields : []),
  probed: true,
  unit: { kind: 'currency' },
});

const cents = (most: number) => fc.integer({ min: 0, max: most }).map((value) => money(`${value}e-4`));
const changes: fc.Arbitrary<KeyChange> = fc.oneof(
  fc.constant({ expiredTime: unixSeconds(1_900_000_000) }),
  fc.constant({ group: 'other' }),
  cents(2_000_000).map((remainQuota) => ({ remainQuota })),
);

/** So little of so much, at once, is taken for a field that was lost, but where it is left out and proven to be kept. */
const looksZeroed = (written: Money, left: Money): boolean =>
  compareMoney(written, money('1')) > 0 &&
  compareMoney(left, zero) >= 0 &&
  Number(left) * 1e5 <= Number(written);

describe('spend between two readings', () => {
  it('of any size never makes an update give a key more than it had or than was requested', async () => {
    await fc.assert(
      fc.asyncProperty(
        cents(2_000_000),
        changes,
        cents(2_500_000),
        cents(2_500_000),
        fc.boolean(),
        async (remain, change, early, late, keeps) => {
          const fixture = spendingGateway(remain);
          const gateway = fixture.gateway(
            () => fixture.spend(early),
            () => fixture.spend(late),
          );
          const clock = manualClock();
          const written = change.remainQuota ?? remain;
          const isLeftOut = keeps && change.remainQuota === undefined;
          fc.pre(isLeftOut || !looksZeroed(written, subtractMoney(written, late)));
          const taken: string[] = [];
          try {
            await putWhole(gateway, 7, change, {
              knowledge: knowing(keeps),
              clock,
              signal: AbortSignal.timeout(30_000),
              distrust: async (points) => void taken.push(...points.map(({ point }) => point)),
            });
          } catch (error) {
            // A quota that is raised and spent at once cannot be told from one that was not raised.
            if (!hasCode(error, 'key-update-ineffective')) throw error;
            expect(compareMoney(fixture.key().remainQuota, remain) <= 0).toBe(true);
          }
          expect(taken).toEqual([]);
          expect(fixture.sent.length).toBeLessThanOrEqual(1);
          for (const amount of fixture.sent)
            if (amount !== undefined) expect(compareMoney(amount, written) <= 0).toBe(true);
        },
      ),
      { numRuns: runs(200) },
    );
  });
});

/** What is left for something in another unit, seen from the other side. */
const looksGrown = (written: Money, left: Money): boolean =>
  compareMoney(written, zero) > 0 && Number(left) >= Number(written) * 1e5;

describe('a refund between two readings', () => {
  it('of any size up to the spend leads neither to harm nor to a second reduction', async () => {
    await fc.assert(
      fc.asyncProperty(
        cents(2_000_000),
        changes,
        cents(2_500_000),
        fc.integer({ min: 0, max: 100 }),
        fc.boolean(),
        fc.boolean(),
        async (remain, change, spent, percent, isEarly, keeps) => {
          const refund = money(String(Math.floor((Number(spent) * 1e4 * percent) / 100) / 1e4));
          const fixture = spendingGateway(remain);
          const refunds = (): void => fixture.spend(subtractMoney(zero, refund));
          const gateway = fixture.gateway(
            () => {
              fixture.spend(spent);
              if (isEarly) refunds();
            },
            () => (isEarly ? undefined : refunds()),
          );
          const isLowered = change.remainQuota !== undefined && compareMoney(change.remainQuota, remain) <= 0;
          const written = change.remainQuota ?? remain;
          fc.pre(!looksGrown(written, addMoney(written, refund)));
          const run = () =>
            putWhole(gateway, 7, change, {
              knowledge: knowing(keeps),
              clock: manualClock(),
              signal: AbortSignal.timeout(30_000),
              neverRaise: isLowered,
            });
          const half = isLowered ? Number(subtractMoney(remain, written)) / 2 : Infinity;
          const error: unknown = await run().then(
            () => undefined,
            (thrown: unknown) => thrown,
          );
          // Nearer to what there was than to what was wanted is where no reading can tell.
          if (error !== undefined) {
            expect(hasCode(error, 'key-update-ineffective')).toBe(true);
            expect(!isEarly && Number(refund) > half).toBe(true);
          } else if (isLowered) expect(wasWritten(remain, written, fixture.key().remainQuota)).toBe(true);
          expect(fixture.sent.length).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: runs(200) },
    );
  });
});
