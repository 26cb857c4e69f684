import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unixMillis } from '../../src/base/index.ts';
import { dueSlot, nextSlots, scheduleFault } from '../../src/schedule/index.ts';

const at = (text: string) => unixMillis(Date.parse(text));
const on = (expression: string, zone: string) => ({ expression, zone });
const shown = (slots: readonly number[]) => slots.map((slot) => new Date(slot).toISOString().slice(0, 16));

describe('slots', () => {
  it('follow the wall clock of the zone', () => {
    expect(shown(nextSlots(on('0 8 * * *', 'Asia/Shanghai'), at('2026-11-21T00:00:00Z'), 2))).toEqual([
      '2026-11-22T00:00',
      '2026-11-23T00:00',
    ]);
    expect(shown(nextSlots(on('7 * * * *', 'UTC'), at('2026-11-21T00:07:00Z'), 1))).toEqual([
      '2026-11-21T01:07',
    ]);
    expect(shown(nextSlots(on('@daily', 'UTC'), at('2026-11-21T00:07:00Z'), 1))).toEqual([
      '2026-11-22T00:00',
    ]);
  });

  it('run a fixed time in a spring gap once, right after it, and in an autumn overlap once', () => {
    expect(shown(nextSlots(on('30 2 * * *', 'Europe/Berlin'), at('2026-03-28T12:00:00Z'), 2))).toEqual([
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ]);
    expect(shown(nextSlots(on('30 2 * * *', 'Europe/Berlin'), at('2026-10-24T12:00:00Z'), 2))).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ]);
  });

  it('are due from just after the cursor to now, the latest of them', () => {
    const after = at('2026-11-21T08:00:00Z');
    expect(dueSlot(on('0 * * * *', 'UTC'), after, at('2026-11-21T08:59:59Z'))).toBeUndefined();
    expect(dueSlot(on('0 * * * *', 'UTC'), after, at('2026-11-21T09:00:00Z'))).toBe(
      at('2026-11-21T09:00:00Z'),
    );
    expect(dueSlot(on('0 * * * *', 'UTC'), after, at('2026-11-21T12:34:00Z'))).toBe(
      at('2026-11-21T12:00:00Z'),
    );
    expect(dueSlot(on('0 * * * *', 'UTC'), after, at('2026-11-20T08:00:00Z'))).toBeUndefined();
  });

  it('never lie outside (after, now]', () => {
    const expressions = fc.constantFrom('* * * * *', '*/7 * * * *', '0 8 * * 1', '30 2 * * *', '0 0 1 * *');
    const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/Havana');
    const start = at('2026-01-01T00:00:00Z');
    fc.assert(
      fc.property(
        expressions,
        zones,
        fc.nat(31_000_000),
        fc.nat(5_000_000),
        (expression, zone, offset, span) => {
          const after = unixMillis(start + offset * 1000);
          const now = unixMillis(after + span * 1000);
          const slot = dueSlot(on(expression, zone), after, now);
          const [first] = nextSlots(on(expression, zone), after, 1);
          expect(slot === undefined).toBe(first === undefined || first > now);
          if (slot !== undefined) {
            expect(slot).toBeGreaterThan(after);
            expect(slot).toBeLessThanOrEqual(now);
            expect(nextSlots(on(expression, zone), slot, 1)[0]).toBeGreaterThan(now);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('schedules that are refused', () => {
  it.each([
    ['61 * * * *', /minute: 61/],
    ['0 0 30 2 *', /never fires/],
    ['every day', /./],
    ['0 0 1 * 1', /both the day of the month and the weekday/],
    ['0 0 */2 * 1', /in two ways/],
    ['* * * *', /./],
  ])('%s', (expression, words) => {
    expect(scheduleFault(on(expression, 'UTC'))).toMatch(words);
  });

  it.each(['7 * * * *', '0 8 * * *', '*/5 * * * *', '0 3 * * 1', '0 0 1 * *', '@daily', '0 30 8 * * *'])(
    '%s is good',
    (expression) => {
      expect(scheduleFault(on(expression, 'Europe/Berlin'))).toBeUndefined();
    },
  );
});
