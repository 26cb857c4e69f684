import {
  mailFolder,
  createDelivery,
  createMailRoute,
  createSmtpTransport,
  recoverInterrupted,
} from '../../../src/notify/index.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { expect } from 'vitest';
import { createSecretRegistry, silentLog } from '../../../src/core/index.ts';
import { openWarehouse } from '../../../src/warehouse/index.ts';
import type { OutboxRow } from '../../../src/storage/index.ts';
import { compiledModules } from '../../support/compiled-modules.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { openFolder } from '../../support/program.ts';
import { start } from './outbox-fixture.ts';
import { openPostOffice, type Reply } from './post-office.ts';

const hour = 3_600_000;
/** Mails that each process queues before it sends. */
const perRound = 3;

/** A process that queues mails and processes the outbox, and is killed by its parent whenever that pleases. */
const child = `
  const [out, data, url, round, now] = process.argv.slice(1);
  const base = await import(out + '/core/index.js');
  const { openWarehouse } = await import(out + '/warehouse/index.js');
  const mail = await import(out + '/notify/index.js');
  const begun = Date.now();
  const clock = { ...base.systemClock, now: () => base.unixMillis(Number(now) + Date.now() - begun) };
  const log = base.silentLog;
  const warehouse = await openWarehouse({ path: data + '/w.duckdb', memoryLimit: '256MB', threads: 1, spoolDirectory: data + '/spool', clock, log });
  const outbox = { outbox: warehouse.outbox, mails: mail.mailFolder(data + '/outbox'), clock };
  process.stdout.write('begun\\n');
  await mail.recoverInterrupted({ ...outbox, random: Math.random, log });
  for (let each = 0; each < ${perRound}; each += 1) {
    await mail.notify(outbox, {
      key: { account: 'main', kind: 'report:storm', subject: round }, from: 'reports@example.com', to: ['r' + each + '@example.com'],
      subject: 'Round ' + round, html: '<p>' + 'x'.repeat(20000) + '</p>', text: 'Round ' + round,
    });
    process.stdout.write('queued ' + each + '\\n');
  }
  const transport = mail.createSmtpTransport({ url: base.createSecretRegistry().register(url), log });
  await mail.createDelivery({ ...outbox, random: Math.random, log, grace: 1000 }, [mail.createMailRoute(transport)]).deliver({});
  await warehouse[Symbol.asyncDispose]();`;

/** What the server saw: a mail whose final dot had come, in which life, and whether that life ended by a kill. */
type Copy = { readonly messageId: string; readonly round: number; readonly bytes: Buffer };

export type ChaosOutcome = {
  readonly rows: readonly OutboxRow[];
  readonly copies: readonly Copy[];
  /** Rounds whose process was killed. */
  readonly killed: ReadonlySet<number>;
  /** Message-IDs whose connection the server cut after the final dot, with the place of the copy. */
  readonly cut: ReadonlySet<Copy>;
  /** `round/recipient` that a process had told to be queued. */
  readonly queued: readonly string[];
};

const messageIdOf = (bytes: Buffer): string =>
  /^Message-ID: (<.*>)\r$/im.exec(bytes.toString('latin1'))?.[1] ?? '';

type Deps = {
  readonly count: number;
  readonly seed: number;
  readonly onRound?: (done: number) => void;
};

/** Milliseconds the server takes for a 250, and what it does else; drawn. */
const serverMood = fc.oneof(
  { weight: 12, arbitrary: fc.constant('accept') },
  { weight: 2, arbitrary: fc.constant('452 later') },
  { weight: 2, arbitrary: fc.constant('cut') },
);

/** Rounds of senders killed at random moments, then one that is left alone until nothing is due any more. */
export const playKilledSenders = async ({ count, seed, onRound }: Deps): Promise<ChaosOutcome> => {
  await using folder = await openFolder();
  const out = await compiledModules();
  const draws = fc.sample(
    fc.record({
      moment: fc.noBias(fc.integer({ min: 0, max: 1000 })),
      slow: fc.integer({ min: 0, max: 40 }),
    }),
    { numRuns: count, seed },
  );
  const moods = fc.sample(serverMood, { numRuns: count * 8 + 1000, seed });
  const copies: Copy[] = [];
  const cut = new Set<Copy>();
  const killed = new Set<number>();
  const queued: string[] = [];
  let attempts = 0;
  /** A server for each round: what comes late from a process that was killed is still known to be its. */
  const openOffice = (round: number, slow: number, isThrottled = false) =>
    openPostOffice({
      without: ['STARTTLS', 'AUTH'],
      afterData: async ({ bytes }): Promise<Reply> => {
        attempts += 1;
        const mood = isThrottled ? 'accept' : (moods[attempts % moods.length] ?? 'accept');
        const copy = { messageId: messageIdOf(bytes), round, bytes };
        if (mood === 'accept' || mood === 'cut') copies.push(copy);
        if (mood === 'cut') cut.add(copy);
        if (!isThrottled) await pause(slow);
        return mood;
      },
    });
  /** Milliseconds within which a sender may end: learned, so that kills fall all over it. */
  let longest = 600;
  for (const [round, { moment, slow }] of draws.entries()) {
    await using office = await openOffice(round, slow);
    const argv = [out, folder.path, office.url, String(round), String(start + round * hour)];
    const sender = spawn(process.execPath, ['--input-type=module', '-e', child, ...argv], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exit = once(sender, 'exit');
    let output = '';
    // On a busy machine a kill would precede all mails: in the first round it follows one.
    const awaited = round === 0 ? 'queued 0\n' : 'begun\n';
    const spoke = new Promise<void>((resolve) => {
      sender.stdout.on('data', (piece: Buffer) => {
        output += piece.toString();
        if (output.includes(awaited)) resolve();
      });
    });
    await Promise.race([spoke, exit]);
    const ended = await Promise.race([exit, pause((moment / 1000) * longest)]);
    if (ended === undefined) sender.kill('SIGKILL');
    const [code, signal] = (await exit) as [number | null, string | null];
    if (signal === null) expect(code).toBe(0);
    else killed.add(round);
    longest = Math.min(5000, Math.max(100, longest * (signal === null ? 0.9 : 1.1)));
    for (const [, each] of output.matchAll(/^queued (\d+)\n/gm)) queued.push(`${round}/r${each}@example.com`);
    onRound?.(round + 1);
  }
  await using office = await openOffice(count, 0, true);
  const clock = manualClock(start + (count + 1) * hour);
  await using warehouse = await openWarehouse({
    path: join(folder.path, 'w.duckdb'),
    memoryLimit: '256MB',
    threads: 1,
    spoolDirectory: join(folder.path, 'spool'),
    clock,
    log: silentLog,
  });
  const deps = {
    outbox: warehouse.outbox,
    mails: mailFolder(join(folder.path, 'outbox')),
    clock,
    random: () => 0.5,
    log: silentLog,
    grace: 1000,
  };
  await recoverInterrupted(deps);
  await using transport = createSmtpTransport({
    url: createSecretRegistry().register(office.url),
    log: silentLog,
  });
  const { deliver } = createDelivery(deps, [createMailRoute(transport)]);
  while ((await warehouse.outbox.counts()).waiting > 0) {
    await deliver({});
    clock.advance(hour);
  }
  const rows = await warehouse.outbox.list();
  const files = new Set(await readdir(join(folder.path, 'outbox')));
  expect(rows.filter(({ file }) => !files.has(file))).toEqual([]);
  return { rows, copies, killed, cut, queued };
};

/** Each recipient has each report, once; twice only where process or connection died after the final dot; else it is told. */
export const expectMailOnce = ({ rows, copies, killed, cut, queued }: ChaosOutcome): void => {
  const byId = new Map<string, Copy[]>();
  for (const copy of copies) byId.set(copy.messageId, [...(byId.get(copy.messageId) ?? []), copy]);
  const known = new Set(rows.map(({ messageId }) => messageId));
  expect([...byId.keys()].filter((id) => !known.has(id))).toEqual([]);
  // What a process had said to be queued is queued, once.
  const names = rows.map(({ subject, recipient }) => `${subject}/${recipient}`);
  expect(new Set(names).size).toBe(names.length);
  expect(queued.filter((name) => !names.includes(name))).toEqual([]);
  /** The last mail that the server had from a process: only that one can have been under way when it was killed. */
  const lastOf = new Map<number, Copy>();
  for (const copy of copies) lastOf.set(copy.round, copy);
  for (const row of rows) {
    const own = byId.get(row.messageId) ?? [];
    expect([row.id, row.state]).toEqual([row.id, expect.stringMatching(/^(sent|unknown)$/)]);
    if (row.state === 'sent') expect([row.id, own.length]).not.toEqual([row.id, 0]);
    for (const copy of own.slice(0, -1)) {
      const died = killed.has(copy.round) && lastOf.get(copy.round) === copy;
      expect([row.id, copy.round, died || cut.has(copy)]).toEqual([row.id, copy.round, true]);
    }
    expect(own.length).toBeLessThanOrEqual(row.doubts + 1);
    expect(own.length).toBeLessThanOrEqual(3);
    for (const { bytes } of own) expect(bytes.equals(own[0]?.bytes ?? bytes)).toBe(true);
  }
};
