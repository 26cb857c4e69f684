import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { startSandbox, type Sandbox } from '../../../src/sandbox/index.ts';
import { interval, sumMoney, unixMillis, unixSeconds } from '../../../src/core/index.ts';
import type { Warehouse } from '../../../src/warehouse/index.ts';
import { openMailServer, type MailServer } from '../../support/mail-server.ts';
import { manualClock, type ManualClock } from '../../support/manual-clock.ts';
import { openFolder, type Folder, type Ran } from '../../support/program.ts';
import { exemptFile } from '../../support/secret-watch.ts';

export const began = Date.UTC(2026, 10, 21, 6, 3, 7);

export type ReleasedWorld = AsyncDisposable & {
  readonly folder: Folder;
  readonly clock: ManualClock;
  readonly sandbox: Sandbox;
  readonly mail: MailServer;
  readonly sink: string;
  readonly run: (...argv: readonly string[]) => Promise<Ran>;
  /** Takes the mail server out of service. */
  readonly endMail: () => Promise<void>;
};

/** Two accounts, budgets, a route that refuses every message, and a service whose key is rotated. */
export const openReleasedWorld = async (now: number): Promise<ReleasedWorld> => {
  const clock = manualClock(now);
  const traffic = { now: clock.now, months: 1, callsPerDay: 30, variants: { late_rows: 'absent' } } as const;
  const [folder, mail, sandbox, other] = await Promise.all([
    openFolder(),
    openMailServer(),
    startSandbox(traffic),
    startSandbox({ ...traffic, callsPerDay: 20 }),
  ]);
  let smtp = mail.url;
  await folder.write(
    'config/tollkeeper.yaml',
    `accounts:
  main: { base_url: "\${MAIN_URL}", admin_key: "\${MAIN_KEY}" }
  other: { base_url: "\${OTHER_URL}", admin_key: "\${OTHER_KEY}", currency: CNY }
warehouse: { memory_limit: 512MB, threads: 1 }
mail:
  smtp: "\${SMTP_URL}"
  from: "Tollkeeper <reports@example.com>"
  operators: [ops@example.com, chat]
  tls: { ca: ${mail.ca} }
routes:
  chat: { webhook: { url: "${sandbox.baseUrl}/nowhere", secret: "\${CHAT_SECRET}" } }
budgets:
  all: { account: main, amount: "0.01", period: month, thresholds: ["50%", "100%"], owner: [owner@example.com] }
`,
  );
  await folder.write(
    'config/jobs/jobs.yaml',
    `jobs:
  pull-logs: { kind: pull-logs, account: main, schedule: "7 * * * *", since: 2026-11-18 }
  pull-other: { kind: pull-logs, account: other, schedule: "8 * * * *", since: 2026-11-18 }
  pull-usage: { kind: pull-usage, account: main, schedule: "20 1 * * *", group_by: [model], since: 2026-11-18 }
  snapshot: { kind: snapshot, account: main, schedule: "37 * * * *" }
  alerts: { kind: alert, account: main, needs: [pull-logs] }
  spend:
    kind: report
    account: main
    schedule: "0 8 * * *"
    report: spend-summary
    period: yesterday
    mail: { to: [finance@example.com] }
  rotate-app:
    kind: rotate-keys
    account: main
    schedule: "0 3 * * 1"
    name: "{service}.g{generation}"
    keys: { name: "app*" }
    every: 30d
    overlap: 1h
    mode: apply
    deliver: [{ file: { path: "secrets/{service}.env", variable: KEY } }]
    verify: { embeddings: { model: text-embedding-3-small } }
    retire: { when: unused, quiet: 2h, then: delete, max_overlap: 14d }
`,
  );
  await mkdir(join(folder.path, 'secrets'));
  const sink = join(folder.path, 'secrets/app.env');
  exemptFile(sink);
  const run = (...argv: readonly string[]): Promise<Ran> => {
    const env = {
      MAIN_URL: sandbox.baseUrl,
      MAIN_KEY: sandbox.adminKey,
      OTHER_URL: other.baseUrl,
      OTHER_KEY: other.adminKey,
      SMTP_URL: smtp,
      CHAT_SECRET: 'a secret of at least 16 characters',
    };
    return folder.run(argv, { env, clock });
  };
  return {
    folder,
    clock,
    sandbox,
    mail,
    sink,
    run,
    endMail: async () => {
      await mail[Symbol.asyncDispose]();
      smtp = 'smtp://tollkeeper@127.0.0.1:1';
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([sandbox.stop(), other.stop(), mail[Symbol.asyncDispose]()]);
      await folder[Symbol.asyncDispose]();
    },
  };
};

const counted = (values: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [...new Set(values)].sort().map((value) => [value, values.filter((one) => one === value).length]),
  );

const spendOf = async (warehouse: Warehouse, account: string) => {
  const { net, calls } = await warehouse.spend(account, interval(unixSeconds(0), unixSeconds(began / 1000)));
  return { net, calls };
};

/** What a database holds of everything, in terms that outlive its tables. */
export const contentsOf = async (warehouse: Warehouse, auditFile: string) => {
  const usage = await warehouse.usage.values(
    { account: 'main', dimension: 'model', metric: 'spend', granularity: 'day' },
    interval(unixMillis(0), unixMillis(began)),
  );
  const different = await Promise.all(['main', 'other'].map((account) => warehouse.rollup.repair(account)));
  return {
    spend: { main: await spendOf(warehouse, 'main'), other: await spendOf(warehouse, 'other') },
    usage: { values: usage.length, sum: sumMoney(usage.map(({ value }) => value)) },
    daysOfRollupThatDiffer: different.flat().length,
    runs: counted((await warehouse.runs.latest()).map(({ job, state }) => `${job} ${state}`)),
    outbox: counted(
      (await warehouse.outbox.list()).map(({ kind, route, state }) => `${kind} ${route} ${state}`),
    ),
    alerts: counted((await warehouse.alerts.records('main')).map(({ level, state }) => `${level} ${state}`)),
    keySteps: counted((await warehouse.keys.events()).map(({ what }) => what)),
    keys: counted((await warehouse.keys.lineage('main')).map(({ name }) => name)),
    head: await warehouse.keys.last(),
    auditLines: (await readFile(auditFile, 'utf8')).trimEnd().split('\n').length,
    snapshot: await warehouse.snapshots.watermark('main'),
  };
};

/** Where the program keeps its data in the folder. */
export const placesIn = (folder: string) => {
  const path = join(folder, 'data/tollkeeper.duckdb');
  return { path, auditFile: join(dirname(path), 'audit/keys.jsonl') };
};
