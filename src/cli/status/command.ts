import type { Command } from 'commander';
import { needsPerson, statusJson, terminalBlocks, type StatusView } from '../../app/index.ts';
import { jsonText, type Deps } from '../../core/index.ts';
import { configOption } from '../options.ts';
import { ask } from '../ask.ts';
import { blocksText } from '../ui/blocks.ts';
import { lines } from '../ui/lines.ts';
import { commonZone } from '../ui/moment.ts';
import { screenOf, type Screen } from '../ui/paint.ts';

/** One page; the last line names what needs a person. */
export const renderStatus = (status: StatusView, screen: Screen): string => {
  const look = { ...screen, now: status.now, zone: status.data?.zone ?? commonZone(status.jobs) ?? 'UTC' };
  const needed = needsPerson(status);
  const page = [
    ...blocksText(terminalBlocks(status), look),
    ...(needed.length === 0 ? [] : ['', ...lines(`action required: ${needed.join('; ')}`, 0, look, 'bad')]),
  ];
  return `${page.join('\n')}\n`;
};

export const define = (command: Command, deps: Deps): void => {
  command
    .addOption(configOption())
    .option('--json', 'print it as JSON, times in UTC')
    .addHelpText(
      'after',
      `
Asks the running daemon, or reads the database if no daemon is running, which is
not an error.

Exits with 1 if action is required:
- a job in outage, or whose last run failed or was interrupted
- a changed configuration that is invalid
- a paused rotation, an old key past its time that may still be used, or one
  that a place may hold which no job declares any more
- a gateway clock so wrong that no key is deleted
- an audit file of keys that does not pass verification
- a sink that holds a deleted, expired or disabled key
- a service whose key journal is out of date (see \`tollkeeper keys reconcile\`)
- mails that were refused or abandoned, or whose outcome is unknown (see
  \`tollkeeper outbox\`)

Exits with 0 otherwise, also while a failed step is being retried, and with 2 on
usage errors or if the configuration is invalid and no daemon is running.

Examples:
  tollkeeper status
  tollkeeper status --json | jq '.jobs[] | select(.outageSince)'
  tollkeeper status --json | jq '.data.rotations[] | select(.tries > 0) | {service, message, nextTry}'
  tollkeeper status > /dev/null || echo "have a look"`,
    )
    .action(async (options: { config: string; json?: boolean }) => {
      const status = await ask(deps, options.config, (commands) => commands.call('status', {}), {
        reads: true,
      });
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
