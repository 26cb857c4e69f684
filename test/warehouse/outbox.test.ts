import { expect, it } from 'vitest';
import { unixMillis } from '../../src/base/index.ts';
import { openIn, testFolder } from './support.ts';

const at = unixMillis;
const entry = {
  account: 'main',
  kind: 'report',
  subject: 'daily-spend 2026-01-01',
  recipient: 'a@example.com',
  sender: 'reports@example.com',
  messageId: '<1@example.com>',
  file: 'abc.eml',
  queuedAt: at(1000),
};

it('takes a key once, gives what is due once, and keeps how it went', async () => {
  await using folder = await testFolder();
  const warehouse = await openIn(folder);
  const { outbox } = warehouse;
  expect(await Promise.all([outbox.put(entry), outbox.put(entry)])).toEqual(['queued', 'known']);
  expect(await outbox.put({ ...entry, recipient: 'b@example.com' })).toBe('queued');
  expect(await outbox.due(at(999))).toEqual([]);
  const [first, second] = await outbox.due(at(1000));
  expect(first).toEqual({
    ...entry,
    id: '1',
    state: 'queued',
    attempts: 0,
    nextAttempt: 1000,
    changedAt: 1000,
  });
  expect(second?.recipient).toBe('b@example.com');

  expect(await outbox.claim('1', at(1500))).toMatchObject({ state: 'sending', attempts: 1 });
  expect(await outbox.claim('1', at(1500))).toBeUndefined();
  await outbox.settle('1', { state: 'deferred', at: at(1600), nextAttempt: at(5000), error: '450 later' });
  expect((await outbox.due(at(4999))).map(({ id }) => id)).toEqual(['2']);
  expect(await outbox.claim('1', at(5000))).toMatchObject({ attempts: 2, lastError: '450 later' });
  await outbox.settle('1', { state: 'sent', at: at(5100) });

  await outbox.claim('2', at(5200));
  await warehouse[Symbol.asyncDispose]();
  await using reopened = await openIn(folder);
  expect(await reopened.outbox.release(at(6000))).toBe(1);
  expect(await reopened.outbox.due(at(9_999_999))).toMatchObject([
    { id: '2', state: 'unknown', attempts: 1 },
  ]);
  expect(await reopened.outbox.list()).toMatchObject([
    { id: '1', state: 'sent', changedAt: 5100 },
    { id: '2', state: 'unknown' },
  ]);
  expect((await reopened.outbox.list())[0]?.lastError).toBeUndefined();
});
