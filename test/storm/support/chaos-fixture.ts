import { join } from 'node:path';
import { silentLog, systemClock } from '../../../src/core/index.ts';
import { startSandbox, type Sandbox } from '../../../src/sandbox/index.ts';
import type { SharedDatabase } from '../../../src/storage/index.ts';
import {
  openDatabase,
  openSharedWarehouse,
  openWarehouse,
  type Warehouse,
} from '../../../src/warehouse/index.ts';
import type { BuiltProgram, Running } from '../../program/support/built-program.ts';
import { openMailServer, type TakenMail } from '../../support/mail-server.ts';
import { openFolder, type Folder } from '../../support/program.ts';
import { openRecordingGateway, type SeenRequest } from './recording-gateway.ts';

/** Milliseconds: longer than a run takes on a busy machine, so that a backlog is caught up with. */
export const slotLength = 3000;

/** Each due with every slot. */
export const chaosJobs = ['pull-all', 'mail-all', 'mail-latest'] as const;

const everySlot = `*/${slotLength / 1000} * * * * *`;

const jobs = (since: string): string => `jobs:
  pull-all:
    { kind: pull-logs, account: main, schedule: "${everySlot}", catchup: all, since: ${since}, lag: 1s,
      retries: { limit: 3, backoff: constant, initial: 0s, max: 1s } }
  mail-all:
    { kind: report, account: main, schedule: "${everySlot}", catchup: all, concurrency: queue, report: tick,
      retries: { limit: 3, backoff: constant, initial: 0s, max: 1s }, mail: { to: [all@example.com] } }
  mail-latest:
    { kind: report, account: other, schedule: "${everySlot}", catchup: latest, report: tick,
      retries: { limit: 3, backoff: constant, initial: 0s, max: 1s }, mail: { to: [latest@example.com] } }
  pull-other: { kind: pull-logs, account: other, schedule: "*/10 * * * * *", since: ${since} }
`;

/** As small as a report can be: what is stormed is not the rendering. */
const report = `title: Tick
subject: "{title} {period}"
preheader: "{total}"
headline: { label: Spend, sql: total.sql, name: spend }
sections:
  - { kind: text, text: Tick. }
`;

/** Writes the report `tick` into the configuration. */
export const writeTick = async ({ write }: Pick<Folder, 'write'>, config = 'config'): Promise<void> => {
  await write(`${config}/reports/tick/report.yaml`, report);
  await write(
    `${config}/reports/tick/total.sql`,
    `SELECT coalesce(sum(spend) FILTER (period = 'current'), 0) AS spend,
       coalesce(sum(spend) FILTER (period = 'comparison'), 0) AS spend_before
FROM cube`,
  );
};

/** The replicas of a daemon: the value of `database` of each, and a direct way to the database. */
export type Replicas = { readonly urls: readonly string[]; readonly direct: string; readonly lease: number };

/** A volume on which daemons live and die, with the witnesses that outlive them. */
export type StormFixture = AsyncDisposable & {
  readonly start: (...argv: readonly string[]) => Running;
  /** What the gateway of pull-all was asked. */
  readonly asked: readonly SeenRequest[];
  readonly mails: readonly TakenMail[];
  readonly truth: Sandbox['truth'];
  /** Once all processes are gone. */
  readonly openLedger: () => Promise<Warehouse>;
};

const settings = (accounts: Readonly<Record<string, string>>, ca: string, more: string): string => `accounts:
${Object.entries(accounts)
  .map(([name, url]) => `  ${name}: { base_url: "${url}", admin_key: "\${GATEWAY_ADMIN_KEY}" }\n`)
  .join('')}mail: { smtp: "\${SMTP_URL}", from: "Tollkeeper <reports@example.com>", tls: { ca: ${ca} } }
health: { host: 127.0.0.1, port: 0 }
status: { port: 0 }
${more}`;

/** The folder of the configuration of a replica, from 0. */
export const configOf = (replica: number): string => (replica === 0 ? 'config' : `config-${replica}`);

const openDatabaseAt = ({ direct, lease }: Replicas): Promise<SharedDatabase> =>
  openDatabase({
    url: direct,
    holder: 'the storm',
    lease,
    timeout: 600_000,
    clock: systemClock,
    log: silentLog,
  });

/** One daemon on a database file, or replicas with a data folder each on a database that they share. */
export const openStormFixture = async (program: BuiltProgram, replicas?: Replicas): Promise<StormFixture> => {
  const now = Date.now;
  const [folder, mail, sandbox] = await Promise.all([
    openFolder(),
    openMailServer(),
    startSandbox({ now, months: 1, callsPerDay: 1000, variants: { late_rows: 'absent' } }),
  ]);
  const [main, other] = await Promise.all([
    openRecordingGateway(sandbox.baseUrl),
    openRecordingGateway(sandbox.baseUrl),
  ]);
  const accounts = { main: main.baseUrl, other: other.baseUrl };
  const yesterday = new Date(now() - 86_400_000).toISOString().slice(0, 10);
  for (const [nth, url] of (replicas?.urls ?? [undefined]).entries()) {
    const shared = url === undefined ? '' : `database: "\${DATABASE_${nth}}"\n`;
    const lease = replicas === undefined ? '' : `, lease: ${replicas.lease}ms`;
    // Daemons are killed far more often than jobs succeed.
    const more = `${shared}scheduler: { suspend_after: 0${lease} }
warehouse: { memory_limit: 512MB, path: data${nth === 0 ? '' : `-${nth}`}/tollkeeper.duckdb }
`;
    await folder.write(`${configOf(nth)}/tollkeeper.yaml`, settings(accounts, mail.ca, more));
    await folder.write(`${configOf(nth)}/jobs/jobs.yaml`, jobs(yesterday));
    await writeTick(folder, configOf(nth));
  }
  const started: Running[] = [];
  return {
    start: (...argv) => {
      const databases = replicas?.urls.map((url, nth) => [`DATABASE_${nth}`, url] as const) ?? [];
      const env = {
        GATEWAY_ADMIN_KEY: sandbox.adminKey,
        SMTP_URL: mail.url,
        TZ: 'UTC',
        ...Object.fromEntries(databases),
      };
      const running = program.start(argv, { cwd: folder.path, env });
      started.push(running);
      return running;
    },
    asked: main.seen,
    mails: mail.taken,
    truth: sandbox.truth,
    openLedger: async () => {
      const options = {
        path: join(folder.path, 'data/tollkeeper.duckdb'),
        spoolDirectory: join(folder.path, 'data/spool'),
        memoryLimit: '512MB',
        threads: 2,
        clock: systemClock,
        log: silentLog,
      };
      return replicas === undefined
        ? openWarehouse(options)
        : openSharedWarehouse(await openDatabaseAt(replicas), options);
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(started.map((running) => running[Symbol.asyncDispose]()));
      await Promise.all([main[Symbol.asyncDispose](), other[Symbol.asyncDispose]()]);
      await sandbox.stop();
      await mail[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
};
