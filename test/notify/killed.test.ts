import { expect, it } from 'vitest';
import { expectMailOnce, playKilledSenders } from './support/killed-senders.ts';

it('each mail of senders killed at random moments arrives once, or the log gives the reason', async () => {
  const outcome = await playKilledSenders({ count: 3, seed: 5 });
  expect(outcome.rows.length).toBeGreaterThan(0);
  expectMailOnce(outcome);
});

it('the check of killed senders finds planted violations', () => {
  const messageId = '<1@example.com>';
  const row = { id: '1', messageId, subject: '0', recipient: 'r0@example.com', state: 'sent', doubts: 1 };
  const copy = { messageId, round: 0, bytes: Buffer.from('x') };
  const good = {
    rows: [row],
    copies: [copy, { ...copy, round: 1 }],
    killed: new Set([0]),
    cut: new Set<typeof copy>(),
    queued: ['0/r0@example.com'],
  } as unknown as Parameters<typeof expectMailOnce>[0];
  const check = (change: object): void => expectMailOnce({ ...good, ...change });
  check({});
  // Twice without a kill, never, twice with other bytes, lost from the outbox, never said to be unknown.
  expect(() => check({ killed: new Set() })).toThrow();
  expect(() => check({ copies: [] })).toThrow();
  expect(() => check({ copies: [copy, { ...copy, round: 1, bytes: Buffer.from('y') }] })).toThrow();
  expect(() => check({ queued: ['0/r0@example.com', '0/r1@example.com'] })).toThrow();
  expect(() => check({ rows: [{ ...row, state: 'failed' }] })).toThrow();
  expect(() => check({ rows: [{ ...row, doubts: 0 }] })).toThrow();
});
