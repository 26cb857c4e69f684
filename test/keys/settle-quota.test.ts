import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { money } from '../../src/core/index.ts';
import { runs } from '../support/storm.ts';
import { engineFixture, hour, type EngineFixture, begunFixture } from './engine-fixture.ts';

const minute = 60_000;
const limited = { unlimitedQuota: false, remainQuota: money('100') };

const left = (fixture: EngineFixture, name: string): string | undefined =>
  [...fixture.gateway.keys.values()].find((key) => key.name === name)?.remainQuota;

const idOf = (fixture: EngineFixture, name: string): number =>
  [...fixture.gateway.keys.values()].find((key) => key.name === name)?.id ?? 0;

/** Goes on until the old key is gone. */
const seeThrough = async (fixture: EngineFixture): Promise<void> => {
  for (let round = 0; round < 4 && fixture.names().includes('billing.g1'); round += 1) {
    await fixture.later(10 * minute, 'billing.g2', minute);
  }
  expect(fixture.names()).toEqual(['billing.g2']);
};

/** An old key that spent 50 beside its successor, and a try to take that off which is cut off. */
const cutOff = async (fixture: EngineFixture, lost: 'before' | 'after', meanwhile: string): Promise<void> => {
  const { old } = await fixture.begun({}, limited);
  fixture.spendTo(old, '50');
  fixture.elapse(2 * hour);
  fixture.used('billing.g2', minute);
  fixture.gateway.faults.update.push(lost);
  await fixture.advance();
  expect(left(fixture, 'billing.g2')).toBe(lost === 'after' ? '50' : '100');
  fixture.spendTo(idOf(fixture, 'billing.g2'), meanwhile);
  await seeThrough(fixture);
};

describe('a successor with a quota to be reduced', () => {
  it.each([
    ['written, and spent', 'after', '20', '20'],
    ['not written, and spent', 'before', '90', '40'],
  ] as const)('is reduced once: %s', async (_, lost, meanwhile, due) => {
    await using fixture = await engineFixture();
    await cutOff(fixture, lost, meanwhile);
    expect(left(fixture, 'billing.g2')).toBe(due);
  });

  it('is reduced once, even if refunds bring it near the requested amount', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 250_000 }), fc.boolean(), async (refund, isWritten) => {
        await using fixture = await engineFixture();
        const stands = (isWritten ? 500_000 : 1_000_000) + refund;
        await cutOff(fixture, isWritten ? 'after' : 'before', money(`${stands}e-4`));
        expect(left(fixture, 'billing.g2')).toBe(money(`${500_000 + refund}e-4`));
      }),
      { numRuns: runs(15) },
    );
  });
});

describe('a successor that gets the rest of a split quota', () => {
  it.each([
    ['written, and refunded', 'after', '100.05', '100.05'],
    ['written, and nearly all of it spent', 'after', '51', '51'],
    ['not written', 'before', '50', '100'],
    ['not written, and spent', 'before', '40', '90'],
  ] as const)('gets it once: %s', async (_, lost, meanwhile, due) => {
    const { fixture } = await begunFixture({ quota: { kind: 'split' } }, limited);
    expect([left(fixture, 'billing.g1'), left(fixture, 'billing.g2')]).toEqual(['50', '50']);
    fixture.elapse(2 * hour);
    fixture.used('billing.g2', minute);
    fixture.gateway.faults.update.push(lost);
    await fixture.advance();
    fixture.spendTo(idOf(fixture, 'billing.g2'), meanwhile);
    await seeThrough(fixture);
    expect(left(fixture, 'billing.g2')).toBe(due);
  });
});

describe('an old key that shares its quota with its successor', () => {
  it('is reduced once, even if it was refunded after an interrupted attempt', async () => {
    await using fixture = await engineFixture();
    fixture.gateway.faults.update.push('after');
    const { old } = await fixture.begun({ quota: { kind: 'split' } }, limited);
    expect(left(fixture, 'billing.g1')).toBe('50');
    fixture.spendTo(old, '50.05');
    await fixture.later(10 * minute);
    expect(left(fixture, 'billing.g1')).toBe('50.05');
  });
});
