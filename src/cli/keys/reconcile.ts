import type { Command } from 'commander';
import type { ReconciledKeys } from '../../daemon/index.ts';
import { jsonText } from '../ui/json.ts';
import { request } from './deps.ts';
import type { KeysDeps } from './deps.ts';
import { common, inAccount } from './options.ts';
import type { Common } from './options.ts';
import { oneLine } from '../ui/text.ts';

type ReconcileOptions = Common & { readonly apply?: boolean };

const render = (services: ReconciledKeys): string =>
  services.length === 0
    ? 'the journal of keys agrees with the gateway and the sinks\n'
    : services
        .flatMap(({ service, differences, changes, applied }) => [
          `${oneLine(service)}:`,
          ...differences.map((words) => `  ${oneLine(words)}`),
          `  ${applied ? 'the journal was changed' : 'with --apply, the journal is changed'}:`,
          ...changes.map((words) => `    ${oneLine(words)}`),
        ])
        .map((line) => `${line}\n`)
        .join('');

/** Compares the journal with what is there. */
export const addReconcile = (keys: Command, part: KeysDeps): void => {
  const command = common(keys.command('reconcile'))
    .description('shows where the journal of keys is older than the gateway and the sinks')
    .argument('[service]', 'only of this service')
    .option('--apply', 'take what is there over into the journal; no key and no sink is changed')
    .addHelpText(
      'after',
      `
A journal that was put back from a backup, or that another Tollkeeper works beside, does not know of every key: no key of
such a service is made, delivered, changed or deleted until the difference is gone. --apply adopts the generations that the
gateway lists and what the sinks hold, and gives the open rotation up. Stop any other Tollkeeper on the service first.
Exit code 1 when there is a difference and --apply is not given.

Examples:
  tollkeeper keys reconcile
  tollkeeper keys reconcile billing --apply`,
    );
  command.action(async (service: string | undefined, options: ReconcileOptions) => {
    const apply = options.apply === true;
    const { answer: services } = await request(part, options.config, 'keys/reconcile', {
      who: part.person(),
      apply,
      service,
      ...inAccount(options),
    });
    part.print(options.json === true ? jsonText(services) : render(services));
    command.setOptionValue('exitCode', services.length === 0 || apply ? 0 : 1);
  });
};
