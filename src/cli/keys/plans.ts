import { countText, fault, readReason, readText, systemCode, jsonText } from '../../core/index.ts';
import { inputTexts } from '../../app/index.ts';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { configOption } from '../options.ts';
import { agreed, printOutcome, request, type KeysDeps, type OpenKeys } from './deps.ts';
import { screenOf } from '../ui/paint.ts';
import { keyPlansJson, planCheckJson, renderKeyPlans, renderStale } from './render/plan.ts';

const planTexts = inputTexts('keys/plan');
const applyTexts = inputTexts('keys/apply');

type PlanOptions = {
  readonly config: string;
  readonly out?: string;
  readonly all?: boolean;
  readonly json?: boolean;
};
type ApplyOptions = {
  readonly config: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
};

const writePlan = async (path: string, text: string): Promise<void> => {
  try {
    await writeFile(path, text);
  } catch (error) {
    const code = systemCode(error) ?? 'unknown';
    throw fault(code === 'ENOSPC' ? 'disk-full' : 'path-unwritable', `${path} cannot be written (${code})`, {
      cause: error,
    });
  }
};

const readPlan = async (path: string): Promise<string> => {
  try {
    return await readText(path);
  } catch (error) {
    throw fault('wrong-use', `${path} cannot be read (${readReason(error)})`, {
      cause: error,
      advice: 'use a file written by `tollkeeper keys plan JOB -o FILE`',
    });
  }
};

const addPlan = (keys: Command, part: KeysDeps): void => {
  const { deps, print } = part;
  const command = keys
    .command('plan')
    .description('Show what key jobs would do now; nothing is written to the gateway.')
    .argument('[job]', planTexts.job)
    .addOption(configOption())
    .option('-o, --out <file>', 'write the plan of a single job to a file for `keys apply`')
    .option('--all', 'list every skipped key with its reason; --json always does')
    .option('--json', 'print the plans as JSON, times in UTC')
    .addHelpText(
      'after',
      `
Exits with 1 if a service has several valid keys and it is unknown which one
its consumers hold (choose one with \`tollkeeper keys rotate id:N\`), or if a sink
cannot take a key.

Examples:
  tollkeeper keys plan
  tollkeeper keys plan rotate-prod --all
  tollkeeper keys plan rotate-prod -o plan.json
  tollkeeper keys plan --json | jq '.[].changes[].service'
  tollkeeper keys plan --json | jq -r '.[].skipped[] | [.name, .reason] | @tsv'`,
    );
  command.action(async (job: string | undefined, { config, out, all, json }: PlanOptions) => {
    const input = job === undefined ? {} : { job };
    const { answer: plans } = await request(part, config, 'keys/plan', input);
    const [first, second] = plans;
    if (out !== undefined) {
      if (first === undefined || second !== undefined)
        throw fault('wrong-use', `a plan file contains one job, but ${plans.length} jobs match`, {
          advice: 'specify the job: `tollkeeper keys plan JOB -o FILE`',
        });
      await writePlan(resolve(deps.cwd, out), first.file);
    }
    print(
      json === true
        ? jsonText(keyPlansJson(plans))
        : renderKeyPlans(plans, screenOf(deps.stdout, deps.env), all),
    );
    if (out !== undefined && json !== true) print(`written to ${out}\n`);
    const isOpen = plans.some(({ skipped = [] }) =>
      skipped.some(({ reason }) => reason === 'current-unknown' || reason === 'sink-unusable'),
    );
    command.setOptionValue('exitCode', isOpen ? 1 : 0);
  });
};

const addApply = (keys: Command, part: KeysDeps): void => {
  const { deps, print, person } = part;
  const command = keys
    .command('apply')
    .description('Apply a plan file, unless something has changed since it was written.')
    .argument('<plan>', applyTexts.file)
    .addOption(configOption())
    .option('-y, --yes', 'skip the confirmation; without a terminal there is none')
    .option('--dry-run', 'print the plan and whether it is stale, and write nothing')
    .option('--json', 'print the outcome as JSON, times in UTC')
    .addHelpText(
      'after',
      `
A plan is stale if a key that it names, or one that its limits count, has
changed. The command then names the key and does nothing.

Exits with 0 if all steps that are possible now were taken, and with 1 if the
plan is stale, a step failed, or an action is required.

Examples:
  tollkeeper keys apply plan.json
  tollkeeper keys apply plan.json --dry-run
  tollkeeper keys apply plan.json --yes --json`,
    );
  /** Shows the plan; `go` says whether it is to be applied. */
  const check = async (
    keys: OpenKeys,
    file: string,
    options: ApplyOptions,
  ): Promise<{ readonly isStale: boolean; readonly go: boolean }> => {
    const screen = screenOf(deps.stdout, deps.env);
    const isDry = options.dryRun === true;
    const checked = await keys.call('keys/check-plan', { file }, { signal: deps.signal });
    if (options.json === true && isDry) print(jsonText(planCheckJson(checked)));
    if (options.json !== true) print(renderKeyPlans([checked.plan], screen));
    if (checked.stale.length > 0) {
      if (options.json !== true) print(renderStale(checked.stale, screen));
      else if (!isDry) print(jsonText(planCheckJson(checked)));
      return { isStale: true, go: false };
    }
    if (!isDry) {
      await agreed(part.ask, options.yes, `${countText(checked.plan.changes.length, 'change')}. Continue?`);
      return { isStale: false, go: true };
    }
    if (options.json !== true) print('the plan is not stale; nothing was written\n');
    return { isStale: false, go: false };
  };
  const apply = async (file: string, options: ApplyOptions) => {
    await using keys = await part.openKeys(options.config);
    const { fromDaemon, progress } = keys;
    if (options.dryRun === true || (options.yes !== true && part.ask !== undefined)) {
      const { isStale, go } = await check(keys, file, options);
      if (!go) return { isStale };
    }
    const input = { file, who: person() };
    return { answer: await keys.call('keys/apply', input, { progress, signal: deps.signal }), fromDaemon };
  };
  command.action(async (path: string, options: ApplyOptions) => {
    const applied = await apply(await readPlan(resolve(deps.cwd, path)), options);
    if ('isStale' in applied) command.setOptionValue('exitCode', applied.isStale ? 1 : 0);
    else
      printOutcome(part, {
        ...applied,
        json: options.json,
        exit: (code) => command.setOptionValue('exitCode', code),
      });
  });
};

export const addKeyPlans = (keys: Command, part: KeysDeps): void => {
  addPlan(keys, part);
  addApply(keys, part);
};
