import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Deps } from '../../core/index.ts';
import { runDemo } from '../../demo/index.ts';
import { showProgress } from '../ui/progress.ts';

export const define = (command: Command, deps: Deps): void => {
  command
    .option(
      '-o, --out <folder>',
      'folder for mails, report, database and configuration; output of an earlier demo is removed',
      'out/demo',
    )
    .addHelpText(
      'after',
      `
Needs no account, network access or settings.

Examples:
  tollkeeper demo
  tollkeeper demo --out /tmp/tollkeeper-demo`,
    )
    .action(async (options: { out: string }) => {
      const { progress, end } = showProgress(deps.stderr, deps.clock);
      try {
        await runDemo({ ...deps, out: resolve(deps.cwd, options.out), progress, endProgress: end });
      } finally {
        end();
      }
    });
};
