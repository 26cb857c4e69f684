import { resolve } from 'node:path';
import type { Command } from 'commander';
import { checkConfig } from '../app.ts';
import { formatMoment, toSeconds } from '../base/index.ts';
import type { Means } from '../base/index.ts';
import { configOption, faultLines } from './config-option.ts';

export const addCheck = (program: Command, means: Means): void => {
  program
    .command('check')
    .description(
      'reads the whole config and prints every fault with its place, then the next runs of each job',
    )
    .addOption(configOption())
    .option('--json', 'print faults and jobs as JSON')
    .addHelpText(
      'after',
      `
Exit code 0 when the config is good, 1 when it has faults.

Examples:
  tollkeeper check
  tollkeeper check --config /config --json | jq .faults`,
    )
    .action(async (options: { config: string; json?: boolean }, command: Command) => {
      const { faults, jobs } = await checkConfig(resolve(means.cwd, options.config), means);
      command.setOptionValue('exitCode', faults.length === 0 ? 0 : 1);
      if (options.json === true) {
        means.stdout.write(`${JSON.stringify({ faults, jobs }, null, 2)}\n`);
        return;
      }
      if (faults.length > 0) {
        means.stdout.write(
          `${faultLines(faults)}\n\n${faults.length} fault${faults.length === 1 ? '' : 's'}\n`,
        );
        return;
      }
      for (const job of jobs) {
        const runs = job.next.map((moment) =>
          formatMoment(toSeconds(moment), job.zone).replace(` ${job.zone}`, ''),
        );
        const when = job.suspend ? 'suspended' : (job.schedule ?? 'by hand');
        means.stdout.write(`${job.name}  (${job.kind}, ${when}, ${job.zone})\n`);
        if (runs.length > 0) means.stdout.write(`    next: ${runs.join(', ')}\n`);
      }
      means.stdout.write(
        jobs.length === 0 ? 'the config is good; no job is declared yet\n' : '\nthe config is good\n',
      );
    });
};
