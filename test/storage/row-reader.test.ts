import { expect, it } from 'vitest';
import {
  all,
  amount,
  column,
  flag,
  json,
  label,
  millis,
  optional,
  rowReader,
  seconds,
  secondsRange,
  sparse,
  text,
  wholeNumber,
} from '../../src/storage/index.ts';

const row = {
  name: 'a',
  start_at: '5',
  end_at: '9',
  landed_at: '1700000000001',
  quota: '1.50',
  is_known: true,
  state: 'open',
  columns: '["x"]',
  reason: null,
};

it('a row reader reads each key from the column of its name, exactly', () => {
  const read = rowReader({
    ...all(text, 'name', 'quota'),
    landedAt: millis,
    isKnown: flag,
    range: secondsRange,
    from: column('start_at', seconds),
    value: column('quota', amount),
    state: label<'open' | 'closed'>(),
    columns: json<readonly string[]>(),
  });
  expect(read(row)).toEqual({
    name: 'a',
    quota: '1.50',
    landedAt: 1_700_000_000_001,
    isKnown: true,
    range: { start: 5, end: 9 },
    from: 5,
    value: '1.5',
    state: 'open',
    columns: ['x'],
  });
});

it('a NULL column is rejected unless it is optional, and its key is absent when it is sparse', () => {
  expect(() => rowReader({ reason: text })(row)).toThrow('column reason is NULL');
  expect(() => rowReader({ name: wholeNumber })(row)).toThrow('name is not a safe');
  expect(rowReader({ reason: optional(text), name: optional(text) })(row)).toStrictEqual({
    reason: undefined,
    name: 'a',
  });
  expect(rowReader({ reason: sparse(text), name: sparse(text) })(row)).toStrictEqual({ name: 'a' });
});
