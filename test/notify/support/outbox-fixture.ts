import {
  mailFolder,
  createDelivery,
  createMailRoute,
  createSmtpTransport,
  notify,
  type Delivery,
  type DeliverySummary,
  type Enqueued,
  type Mail,
  type MailTransport,
  type SmtpOptions,
  type OutboxRoute,
} from '../../../src/notify/index.ts';
import { createMemoryOutbox, type MemoryOutbox } from '../../support/memory-outbox.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecretRegistry } from '../../../src/core/index.ts';
import { createLog } from '../../../src/core/logging/json-log.ts';
import { manualClock, type ManualClock } from '../../support/manual-clock.ts';

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

export type OutboxFixture = AsyncDisposable & {
  readonly folder: string;
  readonly outbox: MemoryOutbox;
  readonly clock: ManualClock;
  readonly lines: string[];
  readonly enqueue: (change?: Partial<Mail>) => Promise<readonly Enqueued[]>;
  readonly transport: (url: string, more?: Partial<SmtpOptions>) => MailTransport;
  /** The worker over these routes. Its random numbers lie in the middle, so that a wait is what it is without them. */
  readonly delivery: (...routes: readonly OutboxRoute[]) => Delivery;
  readonly deliver: (transport: MailTransport, signal?: AbortSignal) => Promise<DeliverySummary>;
};

/** A mail folder, an outbox, a clock that stands still, and a log that is kept. */
export const openOutboxFixture = async (): Promise<OutboxFixture> => {
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
  const delivery: OutboxFixture['delivery'] = (...routes) =>
    createDelivery({ outbox, mails: mailFolder(folder), clock, random: () => 0.5, log, grace: 8000 }, routes);
  return {
    folder,
    outbox,
    clock,
    lines,
    enqueue: (change = {}) => notify({ outbox, mails: mailFolder(folder), clock }, { ...mail, ...change }),
    transport: (url, more = {}) =>
      createSmtpTransport({
        url: createSecretRegistry().register(url),
        ca: [ca],
        timeouts: { connect: 5000, greeting: 5000, idle: 5000 },
        log,
        ...more,
      }),
    delivery,
    deliver: (transport, signal) =>
      delivery(createMailRoute(transport)).deliver(signal === undefined ? {} : { signal }),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
};

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
