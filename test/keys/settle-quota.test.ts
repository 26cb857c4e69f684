import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { money } from '../../src/base/index.ts';
import { stormTimes } from '../support/storm.ts';
import { engineHouse, hour } from './engine-house.ts';
import type { EngineHouse } from './engine-house.ts';

const minute = 60_000;
const limited = { unlimitedQuota: false, remainQuota: money('100') };

const left = (house: EngineHouse, name: string): string | undefined =>
  [...house.gateway.keys.values()].find((key) => key.name === name)?.remainQuota;

const idOf = (house: EngineHouse, name: string): number =>
  [...house.gateway.keys.values()].find((key) => key.name === name)?.id ?? 0;

/** Goes on until the old key is gone. */
const seeThrough = async (house: EngineHouse): Promise<void> => {
  for (let round = 0; round < 4 && house.names().includes('billing.g1'); round += 1) {
    house.pass(10 * minute);
    house.used('billing.g2', minute);
    await house.advance();
  }
  expect(house.names()).toEqual(['billing.g2']);
};

/** An old key that spent 50 beside its successor, and a try to take that off which is cut off. */
const cutOff = async (house: EngineHouse, lost: 'before' | 'after', meanwhile: string): Promise<void> => {
  const { old } = await house.begun({}, limited);
  house.spendTo(old, '50');
  house.pass(2 * hour);
  house.used('billing.g2', minute);
  house.gateway.faults.update.push(lost);
  await house.advance();
  expect(left(house, 'billing.g2')).toBe(lost === 'after' ? '50' : '100');
  house.spendTo(idOf(house, 'billing.g2'), meanwhile);
  await seeThrough(house);
};

describe('a successor whose quota was to be lowered', () => {
  it.each([
    ['written, and refunded', 'after', '50.05', '50.05'],
    ['written, and spent', 'after', '20', '20'],
    ['not written', 'before', '100', '50'],
    ['not written, and refunded', 'before', '100.05', '50.05'],
    ['not written, and spent', 'before', '90', '40'],
  ] as const)('is lowered once: %s', async (_, lost, meanwhile, due) => {
    await using house = await engineHouse();
    await cutOff(house, lost, meanwhile);
    expect(left(house, 'billing.g2')).toBe(due);
  });

  it('is lowered once, whatever is refunded that leaves it nearer to what was wanted', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 250_000 }), fc.boolean(), async (refund, isWritten) => {
        await using house = await engineHouse();
        const stands = (isWritten ? 500_000 : 1_000_000) + refund;
        await cutOff(house, isWritten ? 'after' : 'before', money(`${stands}e-4`));
        expect(left(house, 'billing.g2')).toBe(money(`${500_000 + refund}e-4`));
      }),
      { numRuns: 15 * stormTimes },
    );
  });
});

describe('a successor that is to be given the rest of a split quota', () => {
  it.each([
    ['written, and refunded', 'after', '100.05', '100.05'],
    ['written, and nearly all of it spent', 'after', '51', '51'],
    ['not written', 'before', '50', '100'],
    ['not written, and spent', 'before', '40', '90'],
  ] as const)('is given it once: %s', async (_, lost, meanwhile, due) => {
    await using house = await engineHouse();
    await house.begun({ quota: { kind: 'split' } }, limited);
    expect([left(house, 'billing.g1'), left(house, 'billing.g2')]).toEqual(['50', '50']);
    house.pass(2 * hour);
    house.used('billing.g2', minute);
    house.gateway.faults.update.push(lost);
    await house.advance();
    house.spendTo(idOf(house, 'billing.g2'), meanwhile);
    await seeThrough(house);
    expect(left(house, 'billing.g2')).toBe(due);
  });
});

describe('an old key whose quota is shared with its successor', () => {
  it('is lowered once, though it was refunded after a try that was cut off', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1', limited);
    const id = await house.start(old, { quota: { kind: 'split' } });
    house.gateway.faults.update.push('after');
    await house.advance([id]);
    expect(left(house, 'billing.g1')).toBe('50');
    house.spendTo(old, '50.05');
    house.pass(10 * minute);
    await house.advance();
    expect(left(house, 'billing.g1')).toBe('50.05');
  });
});
