import { countText, type Deps, iso, jsonText } from '../../core/index.ts';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { unmatchedWarnings } from '../../app/index.ts';
import { checkConfig } from '../../settings.ts';
import { configOption } from '../options.ts';
import { faultLines, memoryLine, nextRuns, warningLines } from './render.ts';

export const define = (command: Command, deps: Deps): void => {
  command
    .addOption(configOption())
    .option('--json', 'print faults and jobs as JSON')
    .addHelpText(
      'after',
      `
Exits with 0 if the configuration is valid and with 1 if it has faults. Warnings
report misleading figures of reports, such as a total that omits the rows cut
off by LIMIT, and selectors that match no key or model which the database knows;
they do not change the exit code.

Also prints how the memory limit of the container is divided.

Examples:
  tollkeeper check
  tollkeeper check --config /config --json | jq .faults`,
    )
    .action(async (options: { config: string; json?: boolean }) => {
      const folder = resolve(deps.cwd, options.config);
      const { faults, warnings: found, jobs, config, memory } = await checkConfig(folder, deps);
      const unmatched =
        config === undefined || faults.length > 0 ? [] : await unmatchedWarnings(deps, folder, config);
      const warnings = [...found, ...unmatched];
      command.setOptionValue('exitCode', faults.length === 0 ? 0 : 1);
      if (options.json === true) {
        const shown = jobs.map((job) => ({
          ...job,
          next: job.next.map(iso),
        }));
        deps.stdout.write(jsonText({ faults, warnings, jobs: shown, memory }));
        return;
      }
      if (warnings.length > 0) deps.stdout.write(`${warningLines(warnings)}\n\n`);
      if (faults.length > 0) {
        deps.stdout.write(`${faultLines(faults)}\n\n${countText(faults.length, 'fault')}\n`);
        return;
      }
      for (const job of jobs) {
        const runs = nextRuns(job);
        const when = job.suspend ? 'suspended' : (job.schedule ?? 'by hand');
        deps.stdout.write(`${job.name}  (${job.kind}, ${when}, ${job.zone})\n`);
        if (runs.length > 0) deps.stdout.write(`    next: ${runs.join(', ')}\n`);
      }
      if (memory !== undefined) deps.stdout.write(`${memoryLine(memory)}\n`);
      deps.stdout.write(
        jobs.length === 0
          ? 'the configuration is valid; no jobs are configured yet\n'
          : '\nthe configuration is valid\n',
      );
    });
};
