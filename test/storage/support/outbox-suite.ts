import { describe, expect, it } from 'vitest';
import { unixMillis } from '../../../src/core/index.ts';
import { neverAgain, type OutboxTable } from '../../../src/storage/index.ts';

export type OpenOutbox = AsyncDisposable & {
  readonly outbox: OutboxTable;
  /** As after a restart of the process, where the engine survives one. */
  readonly reopen: () => Promise<OutboxTable>;
};

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

/** What every outbox must do, on any engine. */
export const describeOutbox = (engine: string, open: () => Promise<OpenOutbox>): void => {
  describe(`the outbox ${engine}`, () => {
    it('accepts a key once, returns due messages once and records their outcome', async () => {
      await using opened = await open();
      const { outbox } = opened;
      const second = { ...entry, recipient: 'b@example.com' };
      expect(await Promise.all([outbox.put([entry]), outbox.put([entry])])).toEqual([[entry], []]);
      expect(await outbox.put([entry, second, second])).toEqual([second]);
      expect(await outbox.due(at(999))).toEqual([]);
      const [first, next] = await outbox.due(at(1000));
      expect(first).toEqual({
        ...entry,
        id: '1',
        route: 'mail',
        state: 'queued',
        attempts: 0,
        doubts: 0,
        triedFrom: 1000,
        nextAttempt: 1000,
        changedAt: 1000,
      });
      expect(next?.recipient).toBe('b@example.com');

      expect(await outbox.claim('1', at(1500))).toMatchObject({ state: 'sending', attempts: 1 });
      expect(await outbox.claim('1', at(1500))).toBeUndefined();
      await outbox.settle('1', {
        state: 'deferred',
        at: at(1600),
        nextAttempt: at(5000),
        error: '450 later',
      });
      expect((await outbox.due(at(4999))).map(({ id }) => id)).toEqual(['2']);
      expect(await outbox.claim('1', at(5000))).toMatchObject({ attempts: 2, lastError: '450 later' });
      await outbox.settle('1', { state: 'sent', at: at(5100) });

      await outbox.claim('2', at(5200));
      const reopened = await opened.reopen();
      expect(await reopened.list({ states: ['sending'] })).toMatchObject([{ id: '2', attempts: 1 }]);
      await reopened.settle('2', { state: 'unknown', at: at(6000), nextAttempt: at(7000), doubt: true });
      expect(await reopened.due(at(6999))).toEqual([]);
      expect(await reopened.due(at(7000))).toMatchObject([
        { id: '2', state: 'unknown', attempts: 1, doubts: 1 },
      ]);
      expect(await reopened.counts()).toEqual({ waiting: 1, failed: 0, unknown: 0, held: 0 });
      await reopened.settle('2', { state: 'unknown', at: at(7500), error: 'cut', doubt: true });
      expect(await reopened.counts()).toEqual({ waiting: 0, failed: 0, unknown: 1, held: 0 });
      expect(await reopened.list()).toMatchObject([
        { id: '1', state: 'sent', changedAt: 5100 },
        { id: '2', state: 'unknown', doubts: 2, lastError: 'cut', nextAttempt: neverAgain },
      ]);
      expect((await reopened.list())[0]?.lastError).toBeUndefined();
    });

    it('separates routes, and a person decides which messages to resend or cancel', async () => {
      await using opened = await open();
      const { outbox } = opened;
      await outbox.put([entry, { ...entry, recipient: 'webhook:chat', route: 'webhook:chat' }]);
      expect((await outbox.due(at(1000), 'mail')).map(({ id }) => id)).toEqual(['1']);
      expect((await outbox.due(at(1000), 'webhook:chat')).map(({ id }) => id)).toEqual(['2']);
      expect(await outbox.putOff(['1', '2', '3'], { at: at(1000), until: at(9000), error: 'closed' })).toBe(
        2,
      );
      expect(await outbox.list({ route: 'mail', ids: ['1', '2'] })).toMatchObject([
        { id: '1', state: 'deferred', attempts: 0, nextAttempt: 9000, lastError: 'closed' },
      ]);

      expect(await outbox.resend('1', at(2000))).toMatchObject({
        state: 'queued',
        triedFrom: 2000,
        queuedAt: 1000,
      });
      await outbox.claim('1', at(2000));
      expect([await outbox.resend('1', at(2001)), await outbox.drop('1', at(2001))]).toEqual([
        undefined,
        undefined,
      ]);
      await outbox.settle('1', { state: 'sent', at: at(2100) });
      expect(await outbox.drop('1', at(2200))).toBeUndefined();
      expect(await outbox.drop('2', at(2300))).toMatchObject({ state: 'dropped', nextAttempt: neverAgain });
      await outbox.settle('2', { state: 'failed', at: at(2400) });
      expect(await outbox.list({ limit: 1 })).toMatchObject([{ id: '2', state: 'dropped' }]);
      expect(await outbox.counts()).toEqual({ waiting: 0, failed: 0, unknown: 0, held: 0 });
      expect(await outbox.files(at(2299))).toEqual([{ file: 'abc.eml', needed: true }]);
      expect(await outbox.files(at(2300))).toEqual([{ file: 'abc.eml', needed: false }]);
    });

    it('holds what is unsent until a person releases or drops it, and nothing else', async () => {
      await using opened = await open();
      const { outbox } = opened;
      const recipients = ['queued', 'sending', 'deferred', 'unknown', 'given-up', 'failed', 'sent'];
      await outbox.put(recipients.map((recipient) => ({ ...entry, recipient })));
      for (const id of ['2', '3', '4', '5', '6', '7']) await outbox.claim(id, at(1000));
      await outbox.settle('3', { state: 'deferred', at: at(1100), nextAttempt: at(9000) });
      await outbox.settle('4', { state: 'unknown', at: at(1100), nextAttempt: at(9000) });
      await outbox.settle('5', { state: 'unknown', at: at(1100) });
      await outbox.settle('6', { state: 'failed', at: at(1100) });
      await outbox.settle('7', { state: 'sent', at: at(1100) });
      expect(await outbox.hold(at(2000))).toBe(4);
      expect((await outbox.list({ states: ['held'] })).map(({ id }) => id)).toEqual(['1', '2', '3', '4']);
      expect(await outbox.due(at(99_000))).toEqual([]);
      expect(await outbox.counts()).toEqual({ waiting: 0, failed: 1, unknown: 1, held: 4 });
      expect(await outbox.resend('1', at(3000))).toMatchObject({ state: 'queued', nextAttempt: 3000 });
      expect(await outbox.drop('2', at(3000))).toMatchObject({ state: 'dropped' });
      expect(await outbox.counts()).toMatchObject({ waiting: 1, held: 2 });
    });

    it('lists the messages about a topic, oldest first', async () => {
      await using opened = await open();
      const budget = JSON.stringify(["all 'of' it", '1793491200']);
      const about = (subject: string, ...topics: readonly string[]) => ({ ...entry, subject, topics });
      await opened.outbox.put([about('1', budget), entry, about('2', 'other', budget), about('3', 'other')]);
      const outbox = await opened.reopen();
      expect(await outbox.list({ kind: 'report', topic: budget })).toMatchObject([
        { id: '1', topics: [budget] },
        { id: '3', topics: ['other', budget] },
      ]);
      expect(await outbox.list({ topic: budget.slice(1) })).toEqual([]);
      expect((await outbox.list({ ids: ['2'] }))[0]?.topics).toBeUndefined();
    });
  });
};
