import type { Command } from 'commander';
import { inputTexts } from '../../app/index.ts';
import { jsonText, type Deps } from '../../core/index.ts';
import { ask } from '../ask.ts';
import { configOption } from '../options.ts';
import { screenOf } from '../ui/paint.ts';
import { createPlainLog } from '../ui/plain-log.ts';
import { showProgress } from '../ui/progress.ts';
import { renderBacktest } from './render.ts';

const texts = inputTexts('backtest');

type BacktestOptions = {
  readonly config: string;
  readonly account?: string | undefined;
  readonly timezone?: string | undefined;
  readonly json?: boolean;
};

export const define = (command: Command, deps: Deps): void => {
  command
    .addOption(configOption())
    .option('-a, --account <name>', texts.account)
    .option('-z, --timezone <zone>', texts.zone)
    .option('--json', 'print each forecast as JSON')
    .addHelpText(
      'after',
      `
Forecasts the end of each whole month of the last two years after 5, 10, 15
and 20 of its days, each from the days before it alone, and compares with what
the month came to. The call log is that of now: calls that arrived late are in
it from the start.

  model      weekdays, level, trend, and a reserve for unusual days
  pace       the average of the last 14 days
  last week  each day as the same weekday of the last week

Examples:
  tollkeeper backtest
  tollkeeper backtest --account main --timezone Europe/Berlin --json`,
    )
    .action(async (options: BacktestOptions) => {
      const { progress, end } = showProgress(deps.stderr, deps.clock);
      const { account, timezone: zone } = options;
      try {
        const view = await ask(
          deps,
          options.config,
          (commands) => commands.call('backtest', { account, zone }, { progress, signal: deps.signal }),
          { log: createPlainLog(deps, end), reads: true },
        );
        end();
        deps.stdout.write(
          options.json === true ? jsonText(view) : renderBacktest(view, screenOf(deps.stdout, deps.env)),
        );
      } finally {
        end();
      }
    });
};
