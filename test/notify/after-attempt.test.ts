import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fault, unixMillis } from '../../src/core/index.ts';
import { afterAttempt, backoffAfter, giveUpAfter } from '../../src/notify/after-attempt.ts';
import type { RouteOutcome } from '../../src/notify/route.ts';
import { runs } from '../support/storm.ts';

const why = fault('mail-deferred', 'no');
const minute = 60_000;

const outcome: fc.Arbitrary<RouteOutcome> = fc.oneof(
  fc.constant({ state: 'sent' as const, response: '250 ok' }),
  fc
    .constantFrom('deferred' as const, 'failed' as const, 'unknown' as const)
    .map((state) => ({ state, fault: why })),
);
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('an outbox row after an attempt', () => {
  it('ends after any sequence of attempts by the last outcome, with at most three unknown outcomes', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.tuple(outcome, random)), fc.boolean(), (attempts, endless) => {
        let row = { attempts: 0, doubts: 0, triedFrom: unixMillis(0) };
        let at = unixMillis(0);
        for (const [drawn, dice] of attempts) {
          // A server that is never well: the days end it.
          const ends =
            endless && drawn.state !== 'unknown' ? { state: 'deferred' as const, fault: why } : drawn;
          const verdict = afterAttempt({ ...row, attempts: row.attempts + 1 }, ends, {
            at,
            random: () => dice,
          });
          row = { ...row, attempts: row.attempts + 1, doubts: row.doubts + (verdict.doubt ? 1 : 0) };
          expect(row.doubts).toBeLessThanOrEqual(3);
          expect(verdict.doubt).toBe(ends.state === 'unknown');
          if (verdict.nextAttempt === undefined) {
            // Sent only when it was confirmed; failed only when no attempt can have arrived.
            expect(verdict.state === 'sent').toBe(ends.state === 'sent');
            if (verdict.state !== 'sent') expect(verdict.state).toBe(row.doubts > 0 ? 'unknown' : 'failed');
            if (verdict.state !== 'sent') expect(verdict.error).not.toBe('');
            break;
          }
          expect(verdict.nextAttempt).toBeGreaterThan(at);
          expect(verdict.nextAttempt - at).toBeLessThanOrEqual(75 * minute);
          at = verdict.nextAttempt;
        }
        expect(at).toBeLessThan(giveUpAfter + 75 * minute);
      }),
      { numRuns: runs(40) },
    );
  });

  it('waits as long as the server requests', () => {
    const asked = fault('mail-deferred', 'no', { retryAfter: 3 * 60 * minute });
    const row = { attempts: 1, doubts: 0, triedFrom: unixMillis(0) };
    const moment = { at: unixMillis(1000), random: () => 0.5 };
    expect(afterAttempt(row, { state: 'deferred', fault: asked }, moment).nextAttempt).toBe(
      1000 + 180 * minute,
    );
  });

  it('is retried at spread times', () => {
    expect([0, 0.5, 0.999].map((dice) => backoffAfter(1, () => dice))).toEqual([45_000, minute, 74_970]);
    expect([2, 3, 7, 100].map((attempts) => backoffAfter(attempts, () => 0.5) / minute)).toEqual([
      2, 4, 60, 60,
    ]);
  });
});
