import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { fault, systemCode } from '../../core/index.ts';
import { configOption } from '../options.ts';
import { jsonText } from '../ui/json.ts';
import { agreed, printOutcome, request } from './deps.ts';
import type { KeysDeps, OpenKeys } from './deps.ts';
import { screenOf } from '../ui/paint.ts';
import { keyPlansJson, planCheckJson, renderKeyPlans, renderStale } from './render/plan.ts';
import { counted } from '../ui/messages.ts';

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
    return await readFile(path, 'utf8');
  } catch (error) {
    throw fault('wrong-use', `${path} cannot be read (${systemCode(error) ?? 'unknown'})`, {
      cause: error,
      advice: 'name a file that `tollkeeper keys plan JOB -o FILE` wrote',
    });
  }
};

const addPlan = (keys: Command, part: KeysDeps): void => {
  const { deps, print } = part;
  keys
    .command('plan')
    .description('what the jobs of keys, or one of them, would do now; nothing is written at the gateway')
    .argument('[job]', 'a job of kind rotate-keys or expire-keys; all of them unless given')
    .addOption(configOption())
    .option('-o, --out <file>', 'write the plan of the one job to a file, for `keys apply`')
    .option('--all', 'name every key that is left as it is, and why; --json always does')
    .option('--json', 'print the plans as JSON, times in UTC')
    .addHelpText(
      'after',
      `
Examples:
  tollkeeper keys plan
  tollkeeper keys plan rotate-prod --all
  tollkeeper keys plan rotate-prod -o plan.json
  tollkeeper keys plan --json | jq '.[].changes[].service'
  tollkeeper keys plan --json | jq -r '.[].held[] | [.name, .reason] | @tsv'`,
    )
    .action(async (job: string | undefined, { config, out, all, json }: PlanOptions) => {
      const input = job === undefined ? {} : { job };
      const { answer: plans } = await request(part, config, 'keys/plan', input);
      const [first, second] = plans;
      if (out !== undefined) {
        if (first === undefined || second !== undefined)
          throw fault('wrong-use', `a plan file is of one job, and there are ${plans.length}`, {
            advice: 'name the job: `tollkeeper keys plan JOB -o FILE`',
          });
        await writePlan(resolve(deps.cwd, out), first.file);
      }
      print(
        json === true
          ? jsonText(keyPlansJson(plans))
          : renderKeyPlans(plans, screenOf(deps.stdout, deps.env), all),
      );
      if (out !== undefined && json !== true) print(`written to ${out}\n`);
    });
};

const addApply = (keys: Command, part: KeysDeps): void => {
  const { deps, print, person } = part;
  const command = keys
    .command('apply')
    .description('does what a plan file says, unless something changed since it was made')
    .argument('<plan>', 'a file that `keys plan -o` wrote')
    .addOption(configOption())
    .option('-y, --yes', 'ask nothing; without a terminal nothing is asked anyway')
    .option('--dry-run', 'print the plan and whether it is stale; write nothing')
    .option('--json', 'print what came of it as JSON, times in UTC')
    .addHelpText(
      'after',
      `
A plan is stale when a key that it names, or that its limits were counted over, is no longer as it was: it is named, and
nothing is done. Exit code 0 when the steps that can be taken now were, 1 when the plan is stale, a step failed or
something waits for a person.

Examples:
  tollkeeper keys apply plan.json
  tollkeeper keys apply plan.json --dry-run
  tollkeeper keys apply plan.json --yes --json`,
    );
  /** Shows the plan before it is applied; `go` says whether it is to be applied now. */
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
      await agreed(part.ask, options.yes, `${counted(checked.plan.changes.length, 'change')}. Go on?`);
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
    else printOutcome(part, command, applied, options.json);
  });
};

export const addKeyPlans = (keys: Command, part: KeysDeps): void => {
  addPlan(keys, part);
  addApply(keys, part);
};
