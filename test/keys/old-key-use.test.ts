import { describe, expect, it } from 'vitest';
import { localeTags, unixMillis } from '../../src/core/index.ts';
import { describeEvent, parseKeyEvent } from '../../src/keys/events/key-event.ts';
import { localeOf } from '../../src/messages/index.ts';
import { deps, keyAlertMail } from '../app/support/alert-emails.ts';
import { approved, mailText, titled } from '../support/approved.ts';
import { begunFixture, hour, type EngineFixture } from './engine-fixture.ts';

const day = 24 * hour;

/** Three days without a call end the old key, so that a night does not. */
const retire = { when: 'unused', quiet: 3 * day, ending: 'delete' } as const;

/** Advances once an hour; the old key is called in these hours of each of the first days. */
const live = async (
  fixture: EngineFixture,
  days: number,
  { used, hours = [9, 10, 14] }: { readonly used: number; readonly hours?: readonly number[] },
): Promise<void> => {
  const begun = fixture.clock.now();
  for (let at = 0; at < days * 24; at += 1) {
    fixture.elapse(hour);
    const now = new Date(fixture.clock.now());
    if (fixture.clock.now() - begun < used * day && hours.includes(now.getUTCHours()))
      fixture.used('billing.g1', 60_000);
    fixture.used('billing.g2', 60_000);
    await fixture.advance();
  }
};

/** What the owner gets. */
const noticesOf = ({ alert }: EngineFixture) =>
  alert.filter(({ kind }) => kind === 'used' || kind === 'unused');

describe('the owner of an old key that is still used', () => {
  it('is notified once a day while it is used, once that it is not, and it ends', async () => {
    const { fixture, old } = await begunFixture({ retire });
    await live(fixture, 10, { used: 9 });
    expect(fixture.gateway.keys.has(old)).toBe(true);
    await live(fixture, 3, { used: 0 });
    expect(fixture.gateway.keys.has(old)).toBe(false);
    const notices = noticesOf(fixture);
    expect(notices.map(({ kind }) => kind)).toEqual([...Array.from({ length: 9 }, () => 'used'), 'unused']);
    const days = notices.map(({ about }) =>
      'to' in about ? new Date(about.to * 1000).toISOString().slice(0, 10) : '',
    );
    expect(new Set(days).size).toBe(days.length);
    expect(new Set(notices.map(({ rotation }) => rotation)).size).toBe(1);
    const history = fixture.table.rows
      .filter(({ what }) => what.startsWith('use-'))
      .map(({ event }) => describeEvent(parseKeyEvent(JSON.parse(event)), 'UTC').message);
    await expect(history.join('\n')).toMatchFileSnapshot(approved('keys/old-key-use'));
  });

  it.each(localeTags)('reads one thread, which is addressed to the owner of the tag, in %s', async (tag) => {
    const { fixture } = await begunFixture({ retire });
    await live(fixture, 4, { used: 2 });
    const mails = noticesOf(fixture).map((alert) =>
      keyAlertMail(alert, unixMillis(fixture.clock.now()), {
        ...deps(),
        locale: localeOf(tag),
        teams: [{ name: 'growth', keys: ['billing'], mail: ['growth@example.com'] }],
        tags: [{ pattern: 'billing*', tags: { owner: 'Ada 王' } }],
        mailOf: { owner: { 'Ada 王': ['ada@example.com'] }, cost_center: {} },
        keyNames: ['billing.g1', 'billing.g2'],
      }),
    );
    expect(mails.map((mail) => mail?.to)).toEqual(mails.map(() => ['ada@example.com']));
    expect(new Set(mails.map((mail) => JSON.stringify(mail?.topics))).size).toBe(1);
    const texts = mails.map((mail, at) => [String(at + 1), mailText(mail ?? {})] as const);
    await expect(titled(texts)).toMatchFileSnapshot(approved('keys/old-key-thread', tag));
  });

  it('is notified that it is unused only by the complete call log, and of use at the latest six hours after the day', async () => {
    const { fixture } = await begunFixture({ retire: { ...retire, quiet: 9 * day } });
    fixture.state.logLag = 30 * hour;
    await live(fixture, 5, { used: 2 });
    const notices = noticesOf(fixture);
    expect(notices.map(({ kind }) => kind)).toEqual(['used', 'used']);
    fixture.state.logLag = 0;
    await live(fixture, 1, { used: 0 });
    expect(noticesOf(fixture).map(({ kind }) => kind)).toEqual(['used', 'used', 'unused']);
  });

  it('does not fail the rotation where the log cannot be read', async () => {
    const { fixture } = await begunFixture({
      overlap: 20 * day,
      retire: { ...retire, when: 'after-overlap' },
    });
    Object.assign(fixture.evidence, {
      logComplete: () => Promise.reject(new Error('a month of the archive is damaged')),
    });
    await live(fixture, 4, { used: 4 });
    expect(fixture.alert).toEqual([]);
  });

  it('is notified of at most seven days at once, with a last call that landed late', async () => {
    const { fixture } = await begunFixture({ retire: { ...retire, quiet: 30 * day } });
    fixture.used('billing.g1', -60_000);
    fixture.elapse(20 * day);
    fixture.used('billing.g1', 3 * day);
    await fixture.advance();
    const [first] = noticesOf(fixture);
    if (first?.about.event !== 'old-key-used') throw new RangeError('no notification of use');
    expect(first.about.to - first.about.from).toBe((7 * day) / 1000);
    // A call of the day before that the log did not have yet.
    fixture.used('billing.g1', 2 * hour);
    const late = Math.floor((fixture.clock.now() - 2 * hour) / 1000);
    fixture.elapse(2 * day);
    await fixture.advance();
    expect(noticesOf(fixture).at(-1)?.about).toMatchObject({ event: 'old-key-unused', lastCall: late });
  });

  it('is notified when a key that is timed expires', async () => {
    const { fixture, old } = await begunFixture({
      overlap: 4 * day,
      retire: { ...retire, when: 'after-overlap' },
    });
    await live(fixture, 2, { used: 2 });
    const [first] = noticesOf(fixture);
    expect(first?.about).toMatchObject({
      event: 'old-key-used',
      ends: { kind: 'at', at: fixture.gateway.keys.get(old)?.expiredTime },
    });
    expect((await fixture.keyService().open())[0]?.oldUse).toMatchObject({ keyId: old, name: 'billing.g1' });
  });

  it('is not notified of a key that nobody used since the cutover', async () => {
    const { fixture } = await begunFixture({ retire });
    await live(fixture, 2, { used: 0 });
    expect(noticesOf(fixture)).toEqual([]);
  });
});
