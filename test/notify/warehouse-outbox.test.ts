import {
  mailFolder,
  createDelivery,
  createMailRoute,
  createSmtpTransport,
  notify,
  recoverInterrupted,
} from '../../src/notify/index.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createSecretRegistry, silentLog } from '../../src/core/index.ts';
import { openWarehouse } from '../../src/warehouse/index.ts';
import { manualClock } from '../support/manual-clock.ts';
import { mail, start } from './support/outbox-fixture.ts';
import { ca, openPostOffice } from './support/post-office.ts';

it('the outbox table of the warehouse follows its interface for sent, delayed, rejected, unknown and interrupted mails', async () => {
  const root = await mkdtemp(join(tmpdir(), 'tollkeeper-mail-'));
  const clock = manualClock(start);
  try {
    await using office = await openPostOffice({
      atRecipient: (address) =>
        address.startsWith('bad')
          ? '550 no'
          : address.startsWith('later') && clock.now() === start
            ? '451 later'
            : 'accept',
      afterData: ({ to }) => (to[0]?.startsWith('cut') === true ? 'cut' : 'accept'),
    });
    await using warehouse = await openWarehouse({
      path: join(root, 'w.duckdb'),
      memoryLimit: '256MB',
      threads: 1,
      spoolDirectory: join(root, 'spool'),
      clock,
      log: silentLog,
    });
    const { outbox } = warehouse;
    const folder = join(root, 'outbox');
    const to = ['good', 'later', 'bad', 'cut', 'crashed'].map((name) => `${name}@example.com`);
    await notify({ outbox, mails: mailFolder(folder), clock }, { ...mail, to });
    expect(await notify({ outbox, mails: mailFolder(folder), clock }, { ...mail, to })).toEqual(
      to.map((recipient) => ({ recipient, state: 'known' })),
    );
    await using transport = createSmtpTransport({
      url: createSecretRegistry().register(office.url),
      ca: [ca],
      log: silentLog,
    });
    const deps = { outbox, mails: mailFolder(folder), clock, random: () => 0.5, log: silentLog, grace: 1000 };
    const { deliver } = createDelivery(deps, [createMailRoute(transport)]);
    const crashed = (await outbox.list()).find(({ recipient }) => recipient.startsWith('crashed'));
    await outbox.claim(crashed?.id ?? '', clock.now());
    expect(await recoverInterrupted(deps)).toBe(1);
    expect(await outbox.list({ ids: [crashed?.id ?? ''] })).toMatchObject([{ state: 'unknown', doubts: 1 }]);
    expect(await deliver({})).toMatchObject({ sent: 1, deferred: 1, failed: 1, unknown: 1 });
    clock.advance(365 * 86_400_000);
    // What was put off is a year old by now: it is tried a last time.
    // So are the crashed one and the one that is cut again.
    expect(await deliver({})).toMatchObject({ sent: 2, deferred: 0, failed: 0, unknown: 1 });
    const states = (await outbox.list()).map(({ recipient, state }) => `${recipient.split('@')[0]} ${state}`);
    expect(states).toEqual(['good sent', 'later sent', 'bad failed', 'cut unknown', 'crashed sent']);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});
