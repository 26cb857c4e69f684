import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type Deps, fault, type Fault, jsonText } from '../../core/index.ts';
import {
  inputTexts,
  openCommands,
  type BackfillStep,
  type Commands,
  type RunResult,
} from '../../app/index.ts';
import { backfillProgress } from './backfill-progress.ts';
import { configOption } from '../options.ts';
import { timesIn } from '../ui/moment.ts';
import { screenOf } from '../ui/paint.ts';
import { createPlainLog, endOf } from '../ui/plain-log.ts';
import { showProgress } from '../ui/progress.ts';
import {
  addMail,
  backfillEnd,
  backfillLine,
  noMail,
  notificationMail,
  printResult,
  resultJson,
} from './render.ts';

const runTexts = inputTexts('run');
const backfillTexts = inputTexts('backfill');

export type WhichSlots = {
  readonly slot?: string | undefined;
  readonly from?: string;
  readonly to?: string;
  readonly acceptEmpty?: boolean;
};

type SlotChoice =
  | { readonly job: string; readonly slot?: string | undefined }
  | {
      readonly job: string;
      readonly from: string;
      readonly to: string;
      readonly acceptEmpty?: true;
    };

const misuse = (message: string): Fault =>
  fault('wrong-use', message, {
    advice:
      'use neither for a run now, --slot for one slot, or --from and --to for all slots of a time range',
  });

/** @throws Fault `wrong-use` for conflicting options */
export const requestOf = (job: string, { slot, from, to, acceptEmpty }: WhichSlots): SlotChoice => {
  if (acceptEmpty === true && (from === undefined || to === undefined))
    throw fault('wrong-use', '--accept-empty requires --from and --to', {
      advice: 'name the time range that the gateway has emptied with --from and --to',
    });
  if (slot !== undefined && (from !== undefined || to !== undefined))
    throw misuse('--slot cannot be combined with --from and --to');
  if (slot !== undefined) return { job, slot };
  if (from === undefined && to === undefined) return { job };
  if (from === undefined) throw misuse('--to requires --from');
  if (to === undefined) throw misuse('--from requires --to');
  return { job, from, to, ...(acceptEmpty === true ? { acceptEmpty } : {}) };
};

type RunOptions = WhichSlots & {
  readonly config: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
};

type Range = Extract<SlotChoice, { readonly from: string }>;
type Shown = { readonly json: boolean; readonly progress: ReturnType<typeof showProgress> };

/** These functions print to both outputs and resolve to the exit code. */
const backfill = async (deps: Deps, call: Commands, request: Range, shown: Shown): Promise<number> => {
  const { json, progress } = shown;
  const out = (text: string): void => deps.stdout.write(deps.secrets.redact(text));
  const results: RunResult[] = [];
  const slots = backfillProgress(request.job, progress.progress, deps.stderr, deps.clock);
  const onResult = ({ result }: BackfillStep): void => {
    progress.end();
    if (!json && results.length === 0)
      out(`${timesIn(result.run.zone, screenOf(deps.stdout, deps.env)).join('\n')}\n`);
    results.push(result);
    if (!json) out(backfillLine(result));
  };
  const total = await call('backfill', request, { progress: slots, onResult, signal: deps.signal });
  progress.end();
  const mail = results.reduce((sum, result) => addMail(sum, result.mail), noMail);
  const printed = notificationMail(mail);
  out(
    json
      ? jsonText({ ...total, mail, runs: results.map(resultJson) })
      : `${backfillEnd(total)}${printed.out}`,
  );
  deps.stderr.write(deps.secrets.redact(printed.err));
  return total.failed > 0 ? 1 : printed.code;
};

const runOne = async (
  deps: Deps,
  call: Commands,
  request: Exclude<SlotChoice, Range>,
  shown: Shown,
): Promise<number> => {
  const { json, progress } = shown;
  const result = await call('run', request, { progress: progress.progress, signal: deps.signal });
  progress.end();
  const printed = printResult(result);
  deps.stdout.write(deps.secrets.redact(json ? jsonText(resultJson(result)) : printed.out));
  deps.stderr.write(deps.secrets.redact(printed.err));
  return printed.code;
};

const showPlan = async (deps: Deps, call: Commands, request: SlotChoice, json: boolean): Promise<number> => {
  const plan = await call('plan', request);
  deps.stdout.write(deps.secrets.redact(json ? jsonText({ plan }) : `${plan.join('\n')}\n`));
  return 0;
};

export const define = (command: Command, deps: Deps): void => {
  command
    .argument('<job>', runTexts.job)
    .addOption(configOption())
    .option('-s, --slot <time>', runTexts.slot)
    .option('--from <time>', backfillTexts.from)
    .option('--to <time>', backfillTexts.to)
    .option('--accept-empty', backfillTexts.acceptEmpty)
    .option('--dry-run', 'print what the run would do, and write and send nothing')
    .option('--json', 'print the outcome as JSON, times in UTC')
    .addHelpText(
      'after',
      `
Times are read in the time zone of the job: 2026-11-21T08:00 or 2026-11-21, or
with Z or an offset. A slot that succeeded is not run again, so --slot and
backfills can be repeated. For pull-logs, --from and --to are times of the data,
which is always pulled again. If a daemon is running, it runs the job; Ctrl-C
stops the run there. The jobs in needs run first.

Stored rows are kept when the log export has none any more. --accept-empty
removes them if the statistics and the usage export are 0 for the whole window,
and neither landed usage nor used_quota still counts them.

Exits with 0 if the job succeeded, now or before, and its mail was sent; 1 if
not; 2 on usage errors or an invalid configuration.

Examples:
  tollkeeper run pull-logs
  tollkeeper run daily-spend --dry-run
  tollkeeper run daily-spend --slot 2026-11-21T08:00
  tollkeeper run daily-spend --from 2026-11-01 --to 2026-12-01
  tollkeeper run pull-logs --from 2026-11-16 --to 2026-11-17 --accept-empty
  tollkeeper run daily-spend --json | jq .mail`,
    )
    .action(async (name: string, options: RunOptions) => {
      const request = requestOf(name, options);
      const json = options.json === true;
      const dryRun = options.dryRun === true;
      const folder = resolve(deps.cwd, options.config);
      const progress = showProgress(deps.stderr, deps.clock, !('from' in request));
      const log = createPlainLog(deps, progress.end, endOf(name));
      await using commands = await openCommands(deps, { folder, log, dryRun });
      try {
        const exitCode = dryRun
          ? await showPlan(deps, commands.call, request, json)
          : 'from' in request
            ? await backfill(deps, commands.call, request, { json, progress })
            : await runOne(deps, commands.call, request, { json, progress });
        command.setOptionValue('exitCode', exitCode);
      } finally {
        progress.end();
      }
    });
};
