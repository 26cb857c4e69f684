import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { inputTexts } from '../../app/index.ts';
import {
  countText,
  focusFormats,
  focusVersions,
  jsonText,
  type Deps,
  type FocusFormat,
  type FocusVersion,
} from '../../core/index.ts';
import { ask } from '../ask.ts';
import { configOption } from '../options.ts';
import { createPlainLog } from '../ui/plain-log.ts';
import { showProgress } from '../ui/progress.ts';
import { writeFiles } from '../ui/write-files.ts';

const texts = inputTexts('focus');

type FocusOptions = {
  readonly config: string;
  readonly period?: string | undefined;
  readonly version: FocusVersion;
  readonly format: FocusFormat;
  readonly out: string;
  readonly account?: string | undefined;
  readonly timezone?: string | undefined;
  readonly json?: boolean;
};

export const define = (command: Command, deps: Deps): void => {
  command
    .addOption(configOption())
    .option('-p, --period <month>', texts.period)
    .addOption(
      new Option('--version <version>', texts.version).choices(focusVersions).default(focusVersions[0]),
    )
    .addOption(new Option('--format <format>', texts.format).choices(focusFormats).default(focusFormats[0]))
    .option('-o, --out <folder>', 'output folder', 'out')
    .option('-a, --account <name>', texts.account)
    .option('-z, --timezone <zone>', texts.zone)
    .option('--json', 'print the sums and paths as JSON')
    .addHelpText(
      'after',
      `
Writes the consumption and the refunds of a month by day, model, service, team
and class of tokens, and what changed in earlier months since these were closed.
A month is closed by the first signed statement of the whole account, or by this
command, if it is over, completely pulled and reconciled. A closed month never
changes: the same month gives the same files.

Examples:
  tollkeeper focus
  tollkeeper focus --period 2026-10 --out accounting
  tollkeeper focus --period 2026-10 --version 1.2 --account main
  tollkeeper focus --format parquet --out /mnt/lake/focus`,
    )
    .action(async (options: FocusOptions) => {
      const { progress, end } = showProgress(deps.stderr, deps.clock);
      const { period, version, format, account, timezone: zone } = options;
      try {
        const { files, ...exported } = await ask(
          deps,
          options.config,
          (commands) =>
            commands.call(
              'focus',
              { period, version, format, account, zone },
              { progress, signal: deps.signal },
            ),
          { log: createPlainLog(deps, end) },
        );
        const paths = await writeFiles(resolve(deps.cwd, options.out), files);
        end();
        const { month, currency, spend, rows, corrections } = exported;
        const corrected =
          corrections === 0 ? '' : `, ${countText(corrections, 'row')} of which correct earlier months`;
        deps.stdout.write(
          options.json === true
            ? jsonText({ ...exported, files: paths })
            : `${[`${month}: ${currency} ${spend} in ${countText(rows, 'row')}${corrected}`, ...paths].join('\n')}\n`,
        );
      } finally {
        end();
      }
    });
};
