import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fault } from '../../src/core/index.ts';
import { openOutboxFixture, openSending } from './support/outbox-fixture.ts';
import { login, openPostOffice } from './support/post-office.ts';

const minute = 60_000;

describe('a due mail', () => {
  it('is sent once over STARTTLS with a login, exactly as stored', async () => {
    await using fixture = await openSending(
      {},
      { text: '.\n..two dots\nFrom here\n.\n', html: '<p>\r\n.\r\n</p>' },
    );
    expect(await fixture.send()).toEqual({ sent: 1, deferred: 0, failed: 0, unknown: 0 });
    const [row] = await fixture.outbox.list();
    expect(row).toMatchObject({ state: 'sent', attempts: 1 });
    const stored = await readFile(join(fixture.folder, row?.file ?? ''));
    expect(fixture.office.received[0]?.bytes.equals(stored)).toBe(true);
    expect(fixture.office.received[0]).toMatchObject({
      from: 'reports@example.com',
      to: ['finance@example.com'],
    });
    expect(await fixture.send()).toMatchObject({ sent: 0 });
    expect(fixture.office.received).toHaveLength(1);
  });

  it('goes to each recipient separately over one connection', async () => {
    await using fixture = await openSending(
      {},
      { to: ['a@example.com', 'B <b@example.com>', 'A@EXAMPLE.com'] },
    );
    expect(await fixture.send()).toMatchObject({ sent: 2 });
    expect(fixture.office.received.map(({ to }) => to)).toEqual([['a@example.com'], ['b@example.com']]);
    expect(fixture.office.connections()).toBe(1);
  });

  it('goes over smtps and to a plain relay on loopback', async () => {
    for (const options of [{ implicitTls: true }, { without: ['STARTTLS', 'AUTH'] as const }]) {
      await using office = await openPostOffice(options);
      await using fixture = await openOutboxFixture();
      await fixture.enqueue();
      await using transport = fixture.transport(office.url);
      expect(await fixture.deliver(transport)).toMatchObject({ sent: 1 });
    }
  });

  it('is sent by only one of two concurrent workers', async () => {
    await using fixture = await openSending({}, { to: ['a@example.com', 'b@example.com', 'c@example.com'] });
    const [one, two] = await Promise.all([fixture.send(), fixture.send()]);
    expect(one.sent + two.sent).toBe(3);
    expect(fixture.office.received).toHaveLength(3);
  });
});

describe('a rejection by the server', () => {
  it('with 452 delays the mail, which arrives later with the same Message-ID', async () => {
    await using fixture = await openSending({
      afterData: (_mail, attempt) => (attempt < 3 ? '452 insufficient storage' : 'accept'),
    });
    const first = await fixture.send();
    expect(first).toMatchObject({ sent: 0, deferred: 1 });
    expect(first.problem).toContain('“452 insufficient storage”');
    expect((await fixture.outbox.list())[0]).toMatchObject({ state: 'deferred', attempts: 1 });
    // Not before its time.
    fixture.clock.advance(minute - 1);
    expect(await fixture.send()).toMatchObject({ sent: 0, deferred: 0 });
    fixture.clock.advance(1);
    expect(await fixture.send()).toMatchObject({ deferred: 1 });
    fixture.clock.advance(minute);
    expect(await fixture.send()).toMatchObject({ sent: 0, deferred: 0 });
    fixture.clock.advance(minute);
    expect(await fixture.send()).toMatchObject({ sent: 1 });
    expect(fixture.office.received).toHaveLength(1);
  });

  it('with 554 fails the mail without a retry', async () => {
    await using fixture = await openSending({ afterData: () => '554 no spam please' });
    expect(await fixture.send()).toMatchObject({ failed: 1 });
    const [row] = await fixture.outbox.list();
    expect(row?.state).toBe('failed');
    expect(row?.lastError).toBe(
      `localhost:${fixture.office.port} refused the mail to finance@example.com: “554 no spam please”`,
    );
    fixture.clock.advance(100 * 24 * 60 * minute);
    expect(await fixture.send()).toMatchObject({ failed: 0, sent: 0 });
    expect(fixture.lines.join('')).toContain('"code":"mail-refused"');
  });

  it('for one recipient does not affect the others', async () => {
    await using fixture = await openSending(
      {
        atRecipient: (address) =>
          address.startsWith('bad')
            ? '550 no such user'
            : address.startsWith('grey')
              ? '451 come back'
              : 'accept',
      },
      { to: ['bad@x.example', 'a@x.example', 'grey@x.example', 'b@x.example', 'bad2@x.example'] },
    );
    expect(await fixture.send()).toMatchObject({ sent: 2, failed: 2, deferred: 1, unknown: 0 });
    expect(fixture.office.received.flatMap(({ to }) => to)).toEqual(['a@x.example', 'b@x.example']);
    const states = (await fixture.outbox.list()).map(({ recipient, state }) => `${recipient} ${state}`);
    expect(states).toEqual([
      'bad@x.example failed',
      'a@x.example sent',
      'grey@x.example deferred',
      'b@x.example sent',
      'bad2@x.example failed',
    ]);
  });
});

describe('a broken connection', () => {
  it('after the data causes two retries of the same bytes with a wait, and then a notification', async () => {
    await using fixture = await openSending({ afterData: () => 'cut' });
    const summary = await fixture.send();
    expect(summary).toMatchObject({ sent: 0, deferred: 0, failed: 0, unknown: 1 });
    expect(summary.problem).toContain('before it was confirmed');
    const reported = () =>
      fixture.lines
        .filter((line) => line.includes('mail of unknown outcome'))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(reported().map(({ level }) => level)).toEqual(['warn']);
    expect(await fixture.outbox.counts()).toEqual({ waiting: 1, failed: 0, unknown: 0, held: 0 });
    for (const wait of [5 * minute, 30 * minute]) {
      fixture.clock.advance(wait - 1);
      expect(await fixture.send()).toMatchObject({ unknown: 0 });
      fixture.clock.advance(1);
      expect(await fixture.send()).toMatchObject({ unknown: 1 });
    }
    fixture.clock.advance(100 * 24 * 60 * minute);
    expect(await fixture.send()).toMatchObject({ sent: 0, unknown: 0 });
    expect(fixture.office.received).toHaveLength(3);
    for (const { bytes } of fixture.office.received)
      expect(bytes.equals(fixture.office.received[0]?.bytes ?? bytes)).toBe(true);
    expect(await fixture.outbox.counts()).toEqual({ waiting: 0, failed: 0, unknown: 1, held: 0 });
    expect(reported().map(({ level }) => level)).toEqual(['warn', 'warn', 'error']);
    expect(reported().at(-1)).toMatchObject({
      code: 'mail-outcome-unknown',
      recipient: 'finance@example.com',
      attempts: 3,
      error: expect.stringContaining('(outcome of 3 attempts') as string,
    });
  });

  it('after the data and a later rejection does not count as failed, because the mail may have arrived', async () => {
    await using fixture = await openSending({
      afterData: (_mail, attempt) => (attempt === 1 ? 'cut' : '554 I have had this one'),
    });
    expect(await fixture.send()).toMatchObject({ unknown: 1 });
    fixture.clock.advance(5 * minute);
    expect(await fixture.send()).toMatchObject({ failed: 0, unknown: 1 });
    expect(await fixture.outbox.counts()).toEqual({ waiting: 0, failed: 0, unknown: 1, held: 0 });
    expect((await fixture.outbox.list())[0]?.lastError).toMatch(
      /“554 .*”; an earlier attempt may have arrived$/,
    );
  });

  it('before the data delays the mail, and the next mail uses a new connection', async () => {
    let cuts = 0;
    await using fixture = await openSending(
      {
        atRecipient: () => {
          cuts += 1;
          return cuts === 1 ? 'cut' : 'accept';
        },
      },
      { to: ['a@example.com', 'b@example.com'] },
    );
    expect(await fixture.send()).toMatchObject({ sent: 1, deferred: 1, unknown: 0 });
    fixture.clock.advance(minute);
    expect(await fixture.send()).toMatchObject({ sent: 1, deferred: 0 });
    expect(fixture.office.received.map(({ to }) => to[0])).toEqual(['b@example.com', 'a@example.com']);
  });

  it('in the middle of a long mail delays it, because the server cannot have it', async () => {
    await using office = await openPostOffice({ cutAfterBytes: 100_000 });
    await using fixture = await openOutboxFixture();
    const content = Buffer.alloc(8_000_000, 'x');
    await fixture.enqueue({
      attachments: [{ filename: 'big.bin', contentType: 'application/octet-stream', content }],
    });
    await using transport = fixture.transport(office.url);
    expect(await fixture.deliver(transport)).toMatchObject({ sent: 0, deferred: 1, unknown: 0 });
    expect(office.received).toEqual([]);
  });
});

describe('a stopped worker', () => {
  it('leaves mails it has not started for the next run', async () => {
    await using fixture = await openSending();
    expect(await fixture.send(AbortSignal.abort())).toMatchObject({ sent: 0, deferred: 0 });
    expect((await fixture.outbox.list())[0]?.state).toBe('queued');
    expect(fixture.office.connections()).toBe(0);
  });

  it('releases the current mail before its transmission, to be retried at once', async () => {
    const stop = new AbortController();
    await using fixture = await openSending({
      atRecipient: () => {
        stop.abort();
        return 'accept';
      },
    });
    expect(await fixture.send(stop.signal)).toMatchObject({ sent: 0, deferred: 1, unknown: 0 });
    expect(fixture.office.received).toEqual([]);
    expect(await fixture.outbox.due(fixture.clock.now())).toHaveLength(1);
  });

  it('does not complete a mail that is not confirmed', async () => {
    await using office = await openPostOffice();
    await using fixture = await openOutboxFixture();
    await fixture.enqueue();
    const lost = fault('lease-lost', 'another replica has taken over');
    await using transport = fixture.transport(office.url, { confirm: () => Promise.reject(lost) });
    expect(await fixture.deliver(transport)).toMatchObject({ sent: 0, deferred: 1, unknown: 0 });
    expect(office.received).toEqual([]);
    expect((await fixture.outbox.list())[0]?.lastError).toContain('another replica has taken over');
    // The server is not to blame: the next pass tries again at once.
    await using confirmed = fixture.transport(office.url, { confirm: () => Promise.resolve() });
    expect(await fixture.deliver(confirmed)).toMatchObject({ sent: 1 });
    expect(office.received).toHaveLength(1);
  });

  it('waits for the response after the transmission', async () => {
    const stop = new AbortController();
    await using fixture = await openSending(
      {
        afterData: () => {
          stop.abort();
          return 'accept';
        },
      },
      { to: ['a@example.com', 'b@example.com'] },
    );
    expect(await fixture.send(stop.signal)).toMatchObject({ sent: 1, deferred: 0, unknown: 0 });
    expect((await fixture.outbox.list()).map(({ state }) => state)).toEqual(['sent', 'queued']);
  });
});

describe('a stored mail', () => {
  it('that was changed or removed is not sent, while the others are', async () => {
    await using office = await openPostOffice();
    await using fixture = await openOutboxFixture();
    await fixture.enqueue({ to: ['a@example.com', 'b@example.com'] });
    const [row] = await fixture.outbox.list();
    await writeFile(join(fixture.folder, row?.file ?? ''), 'something else');
    await using transport = fixture.transport(office.url);
    expect(await fixture.deliver(transport)).toMatchObject({ sent: 1, failed: 1 });
    expect((await fixture.outbox.list())[0]?.lastError).toContain('changed since it was queued');
  });
});

describe('the delivery log', () => {
  it('contains no password for any response of the server', async () => {
    const { password } = login;
    const plain = Buffer.from(`\0${login.user}\0${password}`).toString('base64');
    await using fixture = await openSending({ loginReply: `535 not ${password}, nor ${plain}` });
    const summary = await fixture.send();
    expect(summary.problem).toContain('“535 not [secret], nor [secret]”');
    const everything = fixture.lines.join('') + JSON.stringify(await fixture.outbox.list());
    expect(everything).not.toContain(password);
    expect(everything).not.toContain(plain);
  });
});
