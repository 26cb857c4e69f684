import {
  mailFolder,
  createDelivery,
  createMailRoute,
  createSmtpTransport,
  notify,
  type Delivery,
  type Enqueued,
  type Mail,
  type MailTransport,
  type MessageDefaults,
  type SmtpOptions,
  type OutboxRoute,
} from '../../../src/notify/index.ts';
import { createMemoryOutbox } from '../../support/memory-outbox.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecretRegistry } from '../../../src/core/index.ts';
import { createLog } from '../../../src/core/logging/json-log.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { ca, openPostOffice, type PostOfficeOptions } from './post-office.ts';

export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

export const mail: Mail = {
  key: { account: 'main', kind: 'report:daily-spend', subject: '2026-01-01' },
  from: 'Tollkeeper <reports@example.com>',
  to: ['finance@example.com'],
  subject: 'Spend of 1 January: $12.34',
  html: '<p>Hello <img src="cid:chart@tollkeeper" alt="chart"></p>',
  text: 'Hello\n',
  images: [{ cid: 'chart@tollkeeper', filename: 'chart.png', png }],
};

export const start = Date.UTC(2026, 0, 2, 8);

/** A mail folder, an outbox, a clock that stands still, and a log that is kept. */
export const openOutboxFixture = async () => {
  const root = await mkdtemp(join(tmpdir(), 'tollkeeper-mail-'));
  const folder = join(root, 'outbox');
  const outbox = createMemoryOutbox();
  const clock = manualClock(start);
  const lines: string[] = [];
  const log = createLog({
    write: (line) => void lines.push(line),
    level: 'debug',
    clock,
    redact: (text) => text,
  });
  const mails = mailFolder(folder);
  // Random numbers lie in the middle, so that a wait is what it is without them.
  const parts = { outbox, mails, clock, random: () => 0.5, log, grace: 8000 };
  const delivery = (...routes: readonly OutboxRoute[]): Delivery => createDelivery(parts, routes);
  return {
    folder,
    outbox,
    clock,
    lines,
    log,
    enqueue: (
      change: Partial<Mail> = {},
      messageDefaults: MessageDefaults = {},
    ): Promise<readonly Enqueued[]> =>
      notify({ outbox, mails, clock, messageDefaults }, { ...mail, ...change }),
    transport: (url: string, more: Partial<SmtpOptions> = {}) =>
      createSmtpTransport({
        url: createSecretRegistry().register(url),
        ca: [ca],
        timeouts: { connect: 5000, greeting: 5000, idle: 5000 },
        log,
        ...more,
      }),
    delivery,
    /** A row of a file without a mail. */
    put: (recipient: string, file: string, route?: string) =>
      outbox.put([
        {
          account: 'main',
          kind: 'report:x',
          subject: 's',
          recipient,
          sender: '',
          messageId: `<${recipient}>`,
          ...(route === undefined ? {} : { route }),
          file,
          queuedAt: clock.now(),
        },
      ]),
    /** The same with other parts. */
    deliveryWith: (
      change: Partial<Parameters<typeof createDelivery>[0]>,
      ...routes: readonly OutboxRoute[]
    ) => createDelivery({ ...parts, ...change }, routes),
    deliver: (transport: MailTransport, signal?: AbortSignal) =>
      delivery(createMailRoute(transport)).deliver(signal === undefined ? {} : { signal }),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
};

export type OutboxFixture = Awaited<ReturnType<typeof openOutboxFixture>>;

/** An outbox with a mail, and the server that takes it. */
export const openSending = async (
  office: PostOfficeOptions = {},
  change: Partial<Mail> = {},
  options: Partial<SmtpOptions> = {},
) => {
  const server = await openPostOffice(office);
  const fixture = await openOutboxFixture();
  await fixture.enqueue(change);
  const transport = fixture.transport(server.url, options);
  return {
    ...fixture,
    office: server,
    send: (signal?: AbortSignal) => fixture.deliver(transport, signal),
    [Symbol.asyncDispose]: async () => {
      for (const one of [transport, fixture, server]) await one[Symbol.asyncDispose]();
    },
  };
};
