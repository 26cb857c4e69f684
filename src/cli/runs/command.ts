import type { Command } from 'commander';
import { jsonText, type Deps } from '../../core/index.ts';
import { inputTexts, runJson } from '../../app/index.ts';
import { configOption, positiveCount } from '../options.ts';
import { ask } from '../ask.ts';
import { screenOf } from '../ui/paint.ts';
import { renderRuns } from './render.ts';

const texts = inputTexts('runs');

type RunsOptions = { readonly config: string; readonly limit: number; readonly json?: boolean };

export const define = (command: Command, deps: Deps): void => {
  command
    .argument('[job]', texts.job)
    .addOption(configOption())
    .option('-n, --limit <number>', texts.limit, positiveCount, 20)
    .option('--json', 'print them as JSON, times in UTC')
    .addHelpText(
      'after',
      `
Slots are shown in the time zone of the job. TOOK is the duration of the last
attempt.

Examples:
  tollkeeper runs
  tollkeeper runs daily-spend --limit 5
  tollkeeper runs --limit 500 --json | jq '.[] | select(.state == "failed") | .reason'`,
    )
    .action(async (job: string | undefined, options: RunsOptions) => {
      const of = job === undefined ? {} : { job };
      const runs = await ask(
        deps,
        options.config,
        (commands) => commands.call('runs', { ...of, limit: options.limit }),
        { reads: true },
      );
      deps.stdout.write(
        deps.secrets.redact(
          options.json === true
            ? jsonText(runs.map(runJson))
            : renderRuns(runs, { ...of, now: deps.clock.now() }, screenOf(deps.stdout, deps.env)),
        ),
      );
    });
};
