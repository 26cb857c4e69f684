import { resolve } from 'node:path';
import type { Command } from 'commander';
import { openApp } from '../app.ts';
import type { Means } from '../base/index.ts';
import { configOption, needConfig } from './config-option.ts';
import { createPlainLog } from './plain-log.ts';
import { showProgress } from './progress.ts';

type RunOptions = { readonly config: string; readonly dryRun?: boolean; readonly json?: boolean };

export const addRun = (program: Command, means: Means): void => {
  program
    .command('run')
    .description('one run of one job now, and the mail it makes')
    .argument('<job>', 'name of the job, as in the YAML')
    .addOption(configOption())
    .option('--dry-run', 'print what the run would do; write and send nothing')
    .option('--json', 'print the outcome as JSON')
    .addHelpText(
      'after',
      `
The jobs it needs run first. Exit code 0 when the job ended well and its mail is through, 1 when not, 2 for wrong use or a
faulty config.

Examples:
  tollkeeper run pull-logs
  tollkeeper run daily-spend --dry-run
  tollkeeper run daily-spend --json | jq .mail`,
    )
    .action(async (name: string, options: RunOptions, command: Command) => {
      const folder = resolve(means.cwd, options.config);
      const config = await needConfig(means, folder);
      const { progress, end } = showProgress(means.stderr, means.clock);
      const log = createPlainLog(means, end);
      const dryRun = options.dryRun === true;
      await using app = await openApp(means, { folder, config, log, progress, dryRun });
      if (dryRun) {
        const plan = await app.planJob(name, means.signal);
        means.stdout.write(
          options.json === true ? `${JSON.stringify({ plan }, null, 2)}\n` : `${plan.join('\n')}\n`,
        );
        return;
      }
      try {
        const outcome = await app.runJob(name, means.signal);
        const mail = await app.deliverMail(means.signal);
        end();
        const undelivered = mail.deferred + mail.failed + mail.unknown;
        command.setOptionValue('exitCode', undelivered === 0 ? 0 : 1);
        if (options.json === true) {
          means.stdout.write(`${JSON.stringify({ ...outcome, mail }, null, 2)}\n`);
          return;
        }
        means.stdout.write(`${outcome.summary}\n`);
        if (mail.sent > 0) means.stdout.write(`${mail.sent} mail${mail.sent === 1 ? '' : 's'} sent\n`);
        if (undelivered === 0) return;
        const parts = [
          `${mail.deferred} to be tried again by \`serve\` or the next \`run\``,
          `${mail.failed} refused`,
          `${mail.unknown} of unknown outcome`,
        ];
        means.stderr.write(`tollkeeper: not all mail is through: ${parts.join(', ')}\n`);
        if (mail.trouble !== undefined)
          means.stderr.write(means.secrets.redact(`  what went wrong first: ${mail.trouble}\n`));
      } finally {
        end();
      }
    });
};
