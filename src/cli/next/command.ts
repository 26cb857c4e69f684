import type { Command } from 'commander';
import { jsonText, type Deps } from '../../core/index.ts';
import { inputTexts } from '../../app/index.ts';
import { configOption, positiveCount } from '../options.ts';
import { ask } from '../ask.ts';
import { screenOf } from '../ui/paint.ts';
import { nextJson, renderNext } from './render.ts';

const texts = inputTexts('next');

type NextOptions = { readonly config: string; readonly count: number; readonly json?: boolean };

export const define = (command: Command, deps: Deps): void => {
  command
    .argument('[job]', texts.job)
    .addOption(configOption())
    .option('-n, --count <number>', texts.count, positiveCount, 10)
    .option('--json', 'print them as JSON, times in UTC')
    .addHelpText(
      'after',
      `
Slots are shown in the time zone of the job.

Examples:
  tollkeeper next
  tollkeeper next daily-spend --count 3
  tollkeeper next --count 1 --json | jq -r '.[0].slot'`,
    )
    .action(async (job: string | undefined, options: NextOptions) => {
      const of = job === undefined ? {} : { job };
      const slots = await ask(
        deps,
        options.config,
        (commands) => commands.call('next', { ...of, count: options.count }),
        { reads: true },
      );
      deps.stdout.write(
        deps.secrets.redact(
          options.json === true
            ? jsonText(nextJson(slots))
            : renderNext(slots, deps.clock.now(), screenOf(deps.stdout, deps.env)),
        ),
      );
    });
};
