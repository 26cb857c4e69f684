import { describe, expect, it } from 'vitest';
import { commonZone, localMoment, localSlot } from '../../../src/cli/ui/moment.ts';
import { at } from '../support/views.ts';

describe('instants in a zone', () => {
  it.each([
    ['2026-11-21T07:00:00Z', 'Europe/Berlin', '2026-11-21 08:00'],
    ['2026-11-21T07:00:07.123Z', 'Asia/Kolkata', '2026-11-21 12:30:07'],
    ['2026-10-25T00:30:00Z', 'Europe/Berlin', '2026-10-25 02:30 +02:00'],
    ['2026-10-25T01:30:00Z', 'Europe/Berlin', '2026-10-25 02:30 +01:00'],
    ['2026-10-25T02:00:00Z', 'Europe/Berlin', '2026-10-25 03:00'],
    ['2026-10-24T23:59:00Z', 'Europe/Berlin', '2026-10-25 01:59'],
    ['2026-03-29T01:30:00Z', 'Europe/Berlin', '2026-03-29 03:30'],
    ['2026-11-01T06:30:00Z', 'America/New_York', '2026-11-01 01:30 -05:00'],
    ['2026-04-04T15:15:00Z', 'Australia/Lord_Howe', '2026-04-05 01:45 +10:30'],
    ['2026-04-04T14:15:00Z', 'Australia/Lord_Howe', '2026-04-05 01:15'],
    ['2026-11-21T07:00:00Z', 'UTC', '2026-11-21 07:00'],
  ])('%s in %s: %s', (moment, zone, shown) => {
    expect(localSlot(at(moment), zone)).toBe(shown);
    expect(localMoment(at(moment), zone)).toBe(shown.replace(/(:\d\d):\d\d\b/, '$1'));
  });

  it('share a zone when all have the same one', () => {
    expect(commonZone([])).toBeUndefined();
    expect(commonZone([{ zone: 'UTC' }, { zone: 'UTC' }])).toBe('UTC');
    expect(commonZone([{ zone: 'UTC' }, { zone: 'Asia/Kolkata' }])).toBeUndefined();
  });
});
