import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Deps } from '../../core/index.ts';
import { serve } from '../../daemon/index.ts';
import { configOption } from '../options.ts';

/** Its arguments, options and help, and what it does. */
export const define = (command: Command, deps: Deps): void => {
  command
    .addOption(configOption())
    .option('-w, --wait', 'where another daemon holds the volume, wait and take over when it ends')
    .addHelpText(
      'after',
      `
SIGTERM, SIGINT  no run begins any more; those under way get scheduler.grace of the config to end (8s unless set),
                 then they are interrupted, and tried again after the next start as their job says; exit code 0
a second one     exits at once; nothing is lost, as after a crash
SIGHUP           reads the config again at once (changes are found by themselves within seconds); a faulty one is not
                 taken up: its faults are logged and shown by \`tollkeeper status\`

One daemon runs on a volume. A second one says who holds it and exits with 1, or with --wait takes over within seconds
when the first one ends, however it ends.
Health: GET /healthz (alive) and /readyz (ready) on health.port of the config, 8080 unless set.
Status page: http://127.0.0.1:8081/ unless the config says otherwise under status.

Examples:
  tollkeeper serve --config /config
  tollkeeper serve --wait
  TOLLKEEPER_CONFIG=/config tollkeeper serve`,
    )
    .action(async (options: { config: string; wait?: boolean }) => {
      await serve(deps, resolve(deps.cwd, options.config), { wait: options.wait === true });
    });
};
