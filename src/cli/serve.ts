import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Means } from '../base/index.ts';
import { serve } from '../daemon.ts';
import { configOption, needConfig } from './config-option.ts';

export const addServe = (program: Command, means: Means): void => {
  program
    .command('serve')
    .description('the daemon: runs every job on its schedule, logs JSON lines, answers health checks')
    .addOption(configOption())
    .addHelpText(
      'after',
      `
Stops at SIGTERM: running jobs get ten seconds to end. A second signal exits at once.
Health: GET /healthz (alive) and /readyz (ready) on health.port of the config, 8080 unless set.

Examples:
  tollkeeper serve --config /config
  TOLLKEEPER_CONFIG=/config tollkeeper serve`,
    )
    .action(async (options: { config: string }) => {
      const folder = resolve(means.cwd, options.config);
      await serve(means, folder, await needConfig(means, folder));
    });
};
