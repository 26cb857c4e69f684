import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Deps } from '../../core/index.ts';
import { serve } from '../../app/index.ts';
import { configOption } from '../options.ts';

export const define = (command: Command, deps: Deps): void => {
  command
    .addOption(configOption())
    .option('-w, --wait', 'if another daemon uses the volume, wait and take over when it ends')
    .addHelpText(
      'after',
      `
Signals:
  SIGTERM, SIGINT  start no further runs and give running ones the time of
                   scheduler.grace (default: 8s). Then they are interrupted, and
                   retried after the next start as their job is configured.
                   Exits with 0. A second signal exits at once; nothing is lost,
                   as after a crash.
  SIGHUP           reload the configuration now (changes are also detected
                   within seconds). An invalid configuration is not applied: its
                   faults are logged and shown by \`tollkeeper status\`.
  SIGUSR2          log at level debug; the next one restores the level that
                   TOLLKEEPER_LOG_LEVEL or log.level sets.

Only one daemon can use a volume. A second one prints its process ID and exits
with 1, or with --wait takes over within seconds after the first one ends for
any reason.

Health: GET /healthz (alive) and /readyz (ready) on health.port (default: 8080).
Status page: http://127.0.0.1:8081/ unless configured under status.

Examples:
  tollkeeper serve --config /config
  tollkeeper serve --wait
  TOLLKEEPER_CONFIG=/config tollkeeper serve`,
    )
    .action(async (options: { config: string; wait?: boolean }) => {
      await serve(deps, resolve(deps.cwd, options.config), { wait: options.wait === true });
    });
};
