import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHandlers, openApp, type App, type RunResult } from '../daemon/index.ts';
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
import { exceedBudget } from './exceed-budget.ts';
import { startMailCatcher, type MailCatcher } from './mail-catcher.ts';
import { movingClock } from './moving-clock.ts';
import { rotateKey, service } from './rotate-key.ts';

export type DemoOptions = Deps & {
  /** Absolute path. What an earlier demo left there is removed. */
  readonly out: string;
  readonly progress: Progress;
  readonly endProgress: () => void;
  /** How much traffic the sandbox account has; 14 months of 1,500 calls a day when left out. */
  readonly traffic?: { readonly months: number; readonly callsPerDay: number };
};

const defaultTraffic = { months: 14, callsPerDay: 1500 };

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
  return openApp(own, { folder, config, log, claimsSlots: false });
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

/** Sandbox gateway, both pulls, report, mail and the rotation of a key in one process on throw-away data; throws when a figure does not add up. */
export const runDemo = async (given: DemoOptions): Promise<void> => {
  const clock = movingClock(given.clock);
  const deps = { ...given, clock };
  const { out, signal } = deps;
  const { clock: watch } = given;
  const { months, callsPerDay } = given.traffic ?? defaultTraffic;
  const began = watch.now();
  const say = (line: string): void => {
    deps.endProgress();
    deps.stdout.write(`${line}\n`);
  };
  let steps = 0;
  const step = (line: string): void => say(`${(steps += 1)}. ${line}`);
  const timed = async <T>(work: () => Promise<T>): Promise<readonly [T, string]> => {
    const start = watch.now();
    const result = await work();
    return [result, `${((watch.now() - start) / 1000).toFixed(1)} s`];
  };

  await emptyFolder(out);
  const gateway = await startSandbox({ now: clock.now, months, callsPerDay });
  try {
    const mails: { readonly file: string; readonly recipients: readonly string[] }[] = [];
    await mkdir(join(out, 'mails'), { recursive: true });
    await using mail = await startMailCatcher({
      login,
      keep: async ({ number, recipients, bytes }) => {
        const file = `mails/${String(number).padStart(2, '0')}.eml`;
        await writeFile(join(out, file), bytes);
        mails.push({ file, recipients });
      },
    });
    step(
      `The sandbox gateway runs at ${gateway.baseUrl} with ${months} months of traffic, a mail catcher on port ${mail.port}.`,
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
    say(
      `   Sum of quota over ${served.rows.toLocaleString('en-US')} rows: warehouse ${landed.served}, gateway ${served.quota}: equal to the last decimal.`,
    );

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
    must(sent === 3 && mails.length === 3, `3 mails were due, ${mails.length} arrived`);
    step(`The outbox sent ${sent} mails; the catcher took ${mails.length}.`);

    const request = { report: 'spend-summary', period: 'last-month', attach: ['xlsx'] as const };
    const { files } = await handlers.report(request, { progress: deps.progress, signal });
    await mkdir(join(out, 'report'), { recursive: true });
    for (const file of files)
      await writeFile(
        join(out, 'report', file.name),
        'text' in file ? file.text : Buffer.from(file.base64, 'base64'),
      );
    step('report (the command, which sends nothing) wrote last month’s report as HTML, text and workbook.');

    await exceedBudget({
      clock,
      gateway,
      run: async (job) => (await run(job)).summary,
      mails: () => mails.length,
      say,
      step,
      must,
    });

    await rotateKey({
      clock,
      gateway,
      file: join(out, 'secrets', `${service}.env`),
      run: async (job) => (await run(job)).summary,
      plan: (job) => handlers.plan({ job }),
      say,
      step,
      must,
    });

    say(`\nDone in ${((watch.now() - began) / 1000).toFixed(1)} s. Left under ${out}:`);
    const left = [
      ...mails.map(({ file, recipients }) => [file, `to ${recipients.join(', ')}`]),
      ['report/spend-summary.html', 'the report, to open in a browser'],
      ['report/spend-summary.txt', 'the same as text'],
      ['report/spend-summary.xlsx', 'its data as a workbook'],
      ['data/reports', 'every report that was mailed, with its data'],
      ['data/tollkeeper.duckdb', 'the database'],
      ['data/audit/keys.jsonl', 'each step of the rotation'],
      ['secrets/billing.env', 'the file the application reads its key from'],
      ['config/', 'the YAML it ran on'],
    ] as const;
    for (const [file, message] of left) say(`  ${file?.padEnd(27)} ${message}`);
  } finally {
    await gateway.stop();
  }
};

export { startMailCatcher } from './mail-catcher.ts';
