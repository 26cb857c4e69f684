import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compose, createHandlers, type App, type RunResult } from '../app/index.ts';
import {
  addMonths,
  createLog,
  dateAt,
  fault,
  interval,
  messageOf,
  startOfDay,
  systemCode,
  toSeconds,
  type Deps,
  type Progress,
} from '../core/index.ts';
import { startSandbox, type Sandbox } from '../sandbox/index.ts';
import { writeDemoConfig } from './demo-config.ts';
import { readConfig } from '../settings.ts';
import { endAlert, exceedBudget } from './exceed-budget.ts';
import { startMailCatcher, type MailCatcher } from './mail-catcher.ts';
import { movingClock } from './moving-clock.ts';
import { printSteps } from './print-steps.ts';
import { rotateKey, service } from './rotate-key.ts';

export type DemoOptions = Deps & {
  /** Absolute path. What an earlier demo left there is removed. */
  readonly out: string;
  readonly progress: Progress;
  readonly endProgress: () => void;
  /** How much traffic the sandbox account has; three months of 1,000 calls a day when left out. */
  readonly traffic?: { readonly months: number; readonly callsPerDay: number };
};

const defaultTraffic = { months: 3, callsPerDay: 1000 };

const login = { user: 'tollkeeper', password: 'demo-password' };

const must = (holds: boolean, message: string): void => {
  if (!holds) throw fault('demo-failed', message);
};

const openDemoApp = async (
  deps: DemoOptions,
  gateway: Sandbox,
  mail: MailCatcher,
  months: number,
): Promise<App> => {
  const folder = join(deps.out, 'config');
  await writeDemoConfig(folder, addMonths(dateAt(toSeconds(deps.clock.now()), 'UTC'), -months));
  const env = {
    ...deps.env,
    GATEWAY_BASE_URL: gateway.baseUrl,
    GATEWAY_ADMIN_KEY: gateway.adminKey,
    SMTP_USER: login.user,
    SMTP_PASSWORD: login.password,
    SMTP_PORT: String(mail.port),
  };
  const own = { ...deps, cwd: deps.out, env };
  const { config, faults } = await readConfig(folder, own);
  if (config === undefined) throw fault('config-invalid', faults.map(({ message }) => message).join('\n'));
  const log = await createLog({
    write: (line) => {
      deps.endProgress();
      deps.stderr.write(line);
    },
    level: 'warn',
    clock: deps.clock,
    redact: deps.secrets.redact,
  });
  return compose(own, { folder, config, log, claimsSlots: false });
};

/** Removes what an earlier demo left, and nothing else. */
const emptyFolder = async (out: string): Promise<void> => {
  try {
    for (const name of ['config', 'data', 'mails', 'report', 'secrets'])
      await rm(join(out, name), { recursive: true, force: true });
    await mkdir(out, { recursive: true });
  } catch (error) {
    throw fault('path-unwritable', `${out} cannot be written (${systemCode(error) ?? messageOf(error)})`, {
      cause: error,
      advice: 'choose another folder with --out',
    });
  }
};

/** Copies the report of last month from the report archive, where its folder has the time as name. */
const copyMonthlyReport = async (out: string): Promise<void> => {
  const archived = join(out, 'data', 'reports', 'monthly-spend');
  const [built] = await readdir(archived);
  if (built === undefined) throw fault('demo-failed', 'the report of last month is not in the archive');
  await mkdir(join(out, 'report'), { recursive: true });
  for (const [from, to] of [
    ['report.html', 'spend-summary.html'],
    ['report.txt', 'spend-summary.txt'],
    ['spend-summary.xlsx', 'spend-summary.xlsx'],
  ] as const)
    await copyFile(join(archived, built, from), join(out, 'report', to));
};

/** Sandbox gateway, both pulls, report, mail and the rotation of a key in one process on throw-away data; throws when a figure does not add up. */
export const runDemo = async (given: DemoOptions): Promise<void> => {
  const clock = movingClock(given.clock);
  const deps = { ...given, clock };
  const { out, signal } = deps;
  const { clock: watch } = given;
  const { months, callsPerDay } = given.traffic ?? defaultTraffic;
  const began = watch.now();
  const { say, step } = printSteps(deps.stdout, deps.endProgress);
  const timed = async <T>(work: () => Promise<T>): Promise<readonly [T, string]> => {
    const start = watch.now();
    const result = await work();
    return [result, `${((watch.now() - start) / 1000).toFixed(1)} s`];
  };

  await emptyFolder(out);
  const gateway = await startSandbox({ now: clock.now, months, callsPerDay });
  try {
    let mails = 0;
    await mkdir(join(out, 'mails'), { recursive: true });
    await using mail = await startMailCatcher({
      login,
      keep: async ({ number, bytes }) => {
        await writeFile(join(out, 'mails', `${String(number).padStart(2, '0')}.eml`), bytes);
        mails += 1;
      },
    });
    step(
      `The sandbox gateway runs at ${gateway.baseUrl} with ${months} months of traffic; a mail catcher on port ${mail.port}.`,
    );

    await using app = await openDemoApp(deps, gateway, mail, months);
    const loadedAt = clock.now();
    const handlers = await createHandlers({
      clock,
      app,
      state: () => ({ config: { loadedAt, faults: [], atNextStart: [] } }),
    });
    const run = async (job: string): Promise<RunResult & { readonly summary: string }> => {
      const result = await handlers.run({ job }, { progress: deps.progress, signal });
      if (result.run.state !== 'ok') throw fault('demo-failed', `${job}: ${result.run.reason ?? 'failed'}`);
      return { ...result, summary: result.run.summary ?? '' };
    };
    const everything = interval(startOfDay('2000-01-01', 'UTC'), toSeconds(clock.now()));

    const [logs, logsTook] = await timed(() => run('pull-logs'));
    step(`pull-logs (${logsTook}): ${logs.summary}.`);

    const reached = await app.warehouse.logs.cursor('main');
    if (reached === undefined) throw fault('demo-failed', 'the pull of the call log moved no cursor');
    const landed = await app.warehouse.spend('main', everything);
    const served = gateway.truth.sums(everything.start, reached);
    must(
      landed.served === served.quota,
      `the warehouse holds ${landed.served}, the sandbox served ${served.quota}`,
    );
    must(
      logs.figures['rows'] === served.rows,
      `${logs.figures['rows']} rows landed, the sandbox holds ${served.rows}`,
    );
    say(`   Sum of quota: warehouse ${landed.served}, gateway ${served.quota}: equal to the last decimal.`);

    const [again, againTook] = await timed(() => run('pull-logs'));
    const after = await app.warehouse.spend('main', interval(everything.start, reached));
    must(after.served === landed.served && after.calls === landed.calls, 'the second pull changed rows');
    step(`pull-logs again (${againTook}): ${again.summary}; no row of before changed.`);

    const [usage, usageTook] = await timed(() => run('pull-usage'));
    step(`pull-usage (${usageTook}): ${usage.summary}.`);

    let sent = 0;
    for (const name of ['daily-spend', 'monthly-spend']) {
      const [report, reportTook] = await timed(() => run(name));
      sent += report.mail.sent;
      step(`${name} (${reportTook}): ${report.summary}.`);
    }
    must(sent === 3 && mails === 3, `3 mails were due, ${mails} arrived`);
    step(`The outbox sent ${sent} mails; the catcher took ${mails}.`);
    await copyMonthlyReport(out);

    const budget = {
      clock,
      gateway,
      run: async (job: string) => (await run(job)).summary,
      mails: () => mails,
      say,
      step,
      must,
    };
    await exceedBudget(budget);

    await rotateKey({
      clock,
      gateway,
      file: join(out, 'secrets', `${service}.env`),
      run: budget.run,
      plan: (job) => handlers.plan({ job }),
      afterDay: () => endAlert(budget),
      say,
      step,
      must,
    });

    say(`\nDone in ${((watch.now() - began) / 1000).toFixed(1)} s. Left under ${out}:`);
    const left = [
      ['mails/', `the ${mails} mails, to open in a mail program`],
      ['report/', 'the report of last month as HTML, text and workbook'],
      ['data/reports/', 'every report that was mailed, with its data'],
      ['data/tollkeeper.duckdb', 'the database'],
      ['data/audit/keys.jsonl', 'each step of the rotation'],
      ['secrets/billing.env', 'the file the application reads its key from'],
      ['config/', 'the YAML it ran on'],
    ] as const;
    for (const [file, message] of left) say(`  ${file.padEnd(24)} ${message}`);
  } finally {
    await gateway.stop();
  }
};

export { startMailCatcher } from './mail-catcher.ts';
