import type { Command } from 'commander';
import { needsPerson } from '../../daemon/index.ts';
import type { Deps } from '../../core/index.ts';
import { configOption } from '../options.ts';
import { jsonText } from '../ui/json.ts';
import { ask } from '../ask.ts';
import { screenOf } from '../ui/paint.ts';
import { statusJson } from './json.ts';
import { renderStatus } from './render.ts';

/** Its arguments, options and help, and what it does. */
export const define = (command: Command, deps: Deps): void => {
  command
    .addOption(configOption())
    .option('--json', 'print it as JSON, times in UTC')
    .addHelpText(
      'after',
      `
Asks the daemon when one runs, else reads the database itself; that no daemon runs is no error.
Exit code 1 when something needs a person: a job in outage, a job whose last run failed or was killed, also one started
by hand, until its next success, a config that was changed and is not valid, a rotation that
waits for a person, an old key that is past its time and may still be used, a gateway whose clock is so wrong that no key is
deleted, an audit file of keys that does not hold, a
service whose journal of keys is out of date (\`tollkeeper keys reconcile\` shows why), mails
that were refused or given up or whose outcome stays unknown (\`tollkeeper outbox\` shows them); 0 when not; 2 for wrong use
or a faulty config where no daemon runs. A step that failed and is tried again needs nobody yet.

Examples:
  tollkeeper status
  tollkeeper status --json | jq '.jobs[] | select(.outageSince)'
  tollkeeper status --json | jq '.data.rotations[] | select(.tries > 0) | {service, words, nextTry}'
  tollkeeper status > /dev/null || echo "have a look"`,
    )
    .action(async (options: { config: string; json?: boolean }) => {
      const status = await ask(deps, options.config, (commands) => commands.call('status', {}));
      const needed = needsPerson(status);
      command.setOptionValue('exitCode', needed.length === 0 ? 0 : 1);
      deps.stdout.write(
        deps.secrets.redact(
          options.json === true
            ? jsonText(statusJson(status, needed))
            : renderStatus(status, screenOf(deps.stdout, deps.env)),
        ),
      );
    });
};
