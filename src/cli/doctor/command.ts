import { resolve } from 'node:path';
import type { Command } from 'commander';
import { inputTexts, openCommands, type DoctorView } from '../../app/index.ts';
import { hasCode, isFault, type Fault, type Deps, isoOr, jsonText } from '../../core/index.ts';
import { configOption } from '../options.ts';
import { screenOf } from '../ui/paint.ts';
import { createPlainLog } from '../ui/plain-log.ts';
import { showProgress } from '../ui/progress.ts';
import { renderDoctor } from './render.ts';

const texts = inputTexts('doctor');

type DoctorOptions = {
  readonly config: string;
  readonly account?: string | undefined;
  readonly probeKeys?: boolean;
  readonly rebuild?: boolean;
  readonly json?: boolean;
};

type Told = Pick<DoctorView, 'zone' | 'checks' | 'learned'>;

const doctorJson = ({ checks, learned }: Told) => ({
  healthy: checks.every(({ state }) => state !== 'failed'),
  checks,
  learned: learned.map((one) => ({
    ...one,
    points: one.points.map((point) => ({
      ...point,
      learnedAt: isoOr(point.learnedAt),
      confirmedAt: isoOr(point.confirmedAt),
    })),
    past: one.past.map((point) => ({
      ...point,
      learnedAt: isoOr(point.learnedAt),
      until: isoOr(point.until),
    })),
    goneColumns: one.goneColumns.map((column) => ({ ...column, goneAt: isoOr(column.goneAt) })),
  })),
});

/** Reports problems that prevent every check: the config, the database, the daemon. */
const beforeAll = (error: Fault): Told => {
  const { message, advice, code } = error;
  const about =
    code === 'config-invalid' ? 'config' : /^(daemon|control|socket)-/.test(code) ? 'daemon' : 'database';
  return {
    zone: 'UTC',
    checks: [
      { about, state: 'failed', message, advice, code },
      { about: 'everything else', state: 'skipped', message: `the check of the ${about} failed` },
    ],
    learned: [],
  };
};

const runCheck = async (deps: Deps, options: DoctorOptions): Promise<Told> => {
  const folder = resolve(deps.cwd, options.config);
  const { progress, end } = showProgress(deps.stderr, deps.clock);
  // The result lines show each problem once, so the log repeats none.
  const log = createPlainLog(deps, end, () => true);
  try {
    await using commands = await openCommands(deps, { folder, log, migrates: false });
    const { account, probeKeys, rebuild } = options;
    const request = {
      account,
      ...(probeKeys === true ? { probeKeys } : {}),
      ...(rebuild === true ? { rebuild } : {}),
    };
    return await commands.call('doctor', request, { progress, signal: deps.signal });
  } catch (error) {
    if (!isFault(error) || hasCode(error, 'wrong-use') || hasCode(error, 'aborted')) throw error;
    return beforeAll(error);
  } finally {
    end();
  }
};

export const define = (command: Command, deps: Deps): void => {
  command
    .addOption(configOption())
    .option('-a, --account <name>', texts.account)
    .option('--probe-keys', texts.probeKeys)
    .option('--rebuild', texts.rebuild)
    .option('--json', 'print it as JSON, times in UTC')
    .addHelpText(
      'after',
      `
Reads from the gateway what the configured jobs read, in as few requests as
possible. Writes nothing there and sends no mail. If a daemon is running, the
daemon performs the checks, so that they run where the jobs run.

With --probe-keys, a temporary key that expires within about a day is created,
changed up to seven times, read and deleted. This shows whether an update keeps
omitted fields, in which unit the gateway expects quotas, and that the Admin Key
has the scope keys:write.

Reports read whole days from the rollup, which stores sums of the call log. Days
that differ from their calls are built again; with --rebuild, all days are.

Exits with 0 if all checks pass, 1 if a check fails, and 2 on usage errors.

Examples:
  tollkeeper doctor
  tollkeeper doctor --account main
  tollkeeper doctor --account main --probe-keys
  tollkeeper doctor --rebuild
  tollkeeper doctor --json | jq '.checks[] | select(.state == "failed")'`,
    )
    .action(async (options: DoctorOptions) => {
      const report = await runCheck(deps, options);
      command.setOptionValue('exitCode', report.checks.some(({ state }) => state === 'failed') ? 1 : 0);
      const text =
        options.json === true
          ? jsonText(doctorJson(report))
          : renderDoctor(report, screenOf(deps.stdout, deps.env));
      deps.stdout.write(deps.secrets.redact(text));
    });
};
