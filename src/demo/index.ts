import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openApp, readConfig, reportFiles } from '../app.ts';
import type { App } from '../app.ts';
import { addMonths, createLog, dateAt, fault, interval, startOfDay, toSeconds } from '../base/index.ts';
import type { Means, Progress } from '../base/index.ts';
import { startSandbox } from '../sandbox/index.ts';
import type { Sandbox } from '../sandbox/index.ts';
import { writeDemoConfig } from './demo-config.ts';
import { startMailCatcher } from './mail-catcher.ts';
import type { MailCatcher } from './mail-catcher.ts';

export type DemoOptions = Means & {
  /** Absolute path. What an earlier demo left there is removed. */
  readonly out: string;
  readonly progress: Progress;
  readonly endProgress: () => void;
};

/** How much traffic the sandbox account has. */
const months = 14;
const callsPerDay = 1500;

const login = { user: 'tollkeeper', password: 'demo-password' };

const must = (holds: boolean, message: string): void => {
  if (!holds) throw fault('demo-failed', message);
};

const openDemoApp = async (means: DemoOptions, gateway: Sandbox, mail: MailCatcher): Promise<App> => {
  const folder = join(means.out, 'config');
  await writeDemoConfig(folder, addMonths(dateAt(toSeconds(means.clock.now()), 'UTC'), -months));
  const env = {
    ...means.env,
    GATEWAY_BASE_URL: gateway.baseUrl,
    GATEWAY_ADMIN_KEY: gateway.adminKey,
    SMTP_USER: login.user,
    SMTP_PASSWORD: login.password,
    SMTP_PORT: String(mail.port),
  };
  const own = { ...means, cwd: means.out, env };
  const { config, faults } = await readConfig(folder, own);
  if (config === undefined) throw fault('config-invalid', faults.map(({ message }) => message).join('\n'));
  const log = createLog({
    write: (line) => {
      means.endProgress();
      means.stderr.write(line);
    },
    level: 'warn',
    clock: means.clock,
    redact: means.secrets.redact,
  });
  return openApp(own, { folder, config, log, progress: means.progress });
};

/** Sandbox gateway, both pulls, report and mail in one process on throw-away data; throws when a figure does not add up. */
export const runDemo = async (means: DemoOptions): Promise<void> => {
  const { clock, out, signal } = means;
  const began = clock.now();
  const say = (line: string): void => {
    means.endProgress();
    means.stdout.write(`${line}\n`);
  };
  const timed = async <T>(work: () => Promise<T>): Promise<readonly [T, string]> => {
    const start = clock.now();
    const result = await work();
    return [result, `${((clock.now() - start) / 1000).toFixed(1)} s`];
  };

  await Promise.all(
    ['config', 'data', 'mails', 'report'].map((name) =>
      rm(join(out, name), { recursive: true, force: true }),
    ),
  );
  await mkdir(out, { recursive: true });

  const gateway = await startSandbox({ now: clock.now, months, callsPerDay });
  try {
    await using mail = await startMailCatcher({ folder: join(out, 'mails'), ...login });
    say(
      `1. The sandbox gateway runs at ${gateway.baseUrl} with ${months} months of traffic, a mail catcher on port ${mail.port}.`,
    );

    await using app = await openDemoApp(means, gateway, mail);
    const everything = interval(startOfDay('2000-01-01', 'UTC'), toSeconds(clock.now()));

    const [logs, logsTook] = await timed(() => app.runJob('pull-logs', signal));
    say(`2. pull-logs (${logsTook}): ${logs.summary}.`);

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

    const [again, againTook] = await timed(() => app.runJob('pull-logs', signal));
    const after = await app.warehouse.spend('main', interval(everything.start, reached));
    must(after.served === landed.served && after.calls === landed.calls, 'the second pull changed rows');
    say(`3. pull-logs again (${againTook}): ${again.summary}; no row changed.`);

    const [usage, usageTook] = await timed(() => app.runJob('pull-usage', signal));
    say(`4. pull-usage (${usageTook}): ${usage.summary}.`);

    for (const name of ['daily-spend', 'monthly-spend']) {
      const [report, reportTook] = await timed(() => app.runJob(name, signal));
      say(`5. ${name} (${reportTook}): ${report.summary}.`);
    }
    const delivered = await app.deliverMail(signal);
    must(delivered.sent === 3 && mail.caught.length === 3, `3 mails were due, ${mail.caught.length} arrived`);
    say(`6. The outbox sent ${delivered.sent} mails; the catcher took ${mail.caught.length}.`);

    const { rendered } = await app.composeReport({ report: 'spend-summary', period: 'last-month' }, signal);
    await mkdir(join(out, 'report'), { recursive: true });
    for (const file of reportFiles('spend-summary', rendered))
      await writeFile(join(out, 'report', file.name), file.text);

    say(`\nDone in ${((clock.now() - began) / 1000).toFixed(1)} s. Left under ${out}:`);
    for (const { file, recipients } of mail.caught)
      say(`  ${file.slice(out.length + 1)}  to ${recipients.join(', ')}`);
    say(
      '  report/spend-summary.html  the report, to open in a browser\n  data/tollkeeper.duckdb  the database\n  config/  the YAML it ran on',
    );
  } finally {
    await gateway.stop();
  }
};
