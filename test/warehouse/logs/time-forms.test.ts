import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { secondsOfTime, timeFormOf } from '../../../src/core/index.ts';
import { timeSql } from '../../../src/warehouse/logs/checked-cells.ts';

it.each([
  ['1767225600', 'seconds'],
  ['1767225600.25', 'seconds'],
  ['1767225600123', 'milliseconds'],
  ['1767225600123456', 'microseconds'],
  ['1767225600123456789', 'nanoseconds'],
  ['2026-01-01T00:00:00Z', 'rfc3339'],
  ['2026/01/01 08:00:00.5+08', 'rfc3339'],
  ['2025-12-31 18:30:00-0530', 'rfc3339'],
  ['2026/01/01 00:00:00', 'naive'],
])('the time %s has the form %s, and is the first second of 2026', (text, form) => {
  expect(timeFormOf(text)).toBe(form);
  expect(secondsOfTime(text, timeFormOf(text) ?? 'naive', () => 0)).toBe(1_767_225_600);
});

it.each([
  '01/02/2026 00:00:00',
  '2026-01/02 00:00:00',
  '1.7672256e9',
  '2026-01-01 00:00',
  '17672256001'.repeat(2),
])('the text %s, which has no single reading, is no time', (text) => {
  expect(timeFormOf(text)).toBeUndefined();
});

const digits = (length: number) =>
  fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length })
    .map((all) => all.join(''));

const fraction = fc.oneof(
  fc.constant(''),
  fc
    .integer({ min: 1, max: 9 })
    .chain(digits)
    .map((text) => `.${text}`),
);

/** A second from 2001 to 2100, written in one of the forms. */
const written = fc
  .record({
    at: fc.integer({ min: 1_000_000_000, max: 4_102_444_799 }),
    form: fc.integer({ min: 0, max: 5 }),
    more: digits(9),
    fraction,
    slash: fc.boolean(),
    blank: fc.boolean(),
    offset: fc.constantFrom(['Z', 0], ['+00', 0], ['+08', 480], ['-05:30', -330], ['+0545', 345]),
  })
  .map(({ at, form, more, fraction: part, slash, blank, offset: [zone, minutes] }) => {
    const counted = ['', more.slice(0, 3), more.slice(0, 6), more][form];
    if (counted !== undefined) return { at, text: `${at}${counted}${part}` };
    const ahead = form === 4 ? minutes * 60 : 0;
    const iso = new Date((at + ahead) * 1000)
      .toISOString()
      .slice(0, 19)
      .replace('T', blank ? ' ' : 'T');
    const date = slash ? iso.replaceAll('-', '/') : iso;
    return { at, text: `${date}${part}${form === 4 ? zone : ''}` };
  });

it('the statement that lands rows and the check of bad rows read each time as the same second', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await fc.assert(
    fc.asyncProperty(fc.array(written, { minLength: 1, maxLength: 8 }), async (times) => {
      for (const { at, text } of times) {
        const form = timeFormOf(text);
        if (form === undefined) throw new Error(`no form: ${text}`);
        const time = form === 'naive' ? { form, offsets: [{ fromLocal: 0, seconds: 0 }] } : { form };
        expect([text, secondsOfTime(text, form, () => 0)]).toEqual([text, at]);
        for (const isPlain of /^\d+$/.test(text) ? [true, false] : [false]) {
          const sql = `SELECT ${timeSql('cell', time)} AS at FROM (SELECT '${text}' AS cell, ${isPlain} AS is_plain)`;
          const reader = await connection.runAndReadAll(sql);
          expect([text, reader.getRowObjectsJson()[0]?.['at']]).toEqual([text, String(at)]);
        }
      }
    }),
    { numRuns: 60 },
  );
  connection.closeSync();
  instance.closeSync();
});
