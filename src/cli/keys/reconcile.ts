import type { Command } from 'commander';
import type { ReconciledKeys } from '../../app/index.ts';
import { shellWord, jsonText } from '../../core/index.ts';
import type { KeysDeps } from './deps.ts';
import { addKeyCommand } from './key-command.ts';
import { oneLine } from '../ui/text.ts';

const render = (services: ReconciledKeys): string =>
  services.length === 0
    ? 'the key journal matches the gateway and the sinks\n'
    : services
        .flatMap(({ service, differences, changes, applied, faults }) => [
          `${oneLine(service)}:`,
          ...differences.map((message) => `  ${oneLine(message)}`),
          ...(changes.length === 0
            ? []
            : [`  ${applied ? 'the journal was updated' : 'with --apply, the journal is updated'}:`]),
          ...changes.map((message) => `    ${oneLine(message)}`),
          ...faults.map((message) => `  ${oneLine(message)}`),
          ...(faults.length === 0
            ? []
            : [`  what to do: \`tollkeeper keys rotate ${shellWord(service)}\` delivers a working key`]),
        ])
        .map((line) => `${line}\n`)
        .join('');

export const addReconcile = (keys: Command, part: KeysDeps): void =>
  addKeyCommand(keys, part, 'keys/reconcile', {
    description: 'Show differences between the key journal and the gateway and sinks.',
    args: ['[service]'],
    options: ['--apply'],
    help: `After a restore from a backup, or if another Tollkeeper manages the same keys,
the journal does not know all keys. No key of such a service is created,
delivered, changed or deleted until the difference is resolved. --apply adopts
the generations at the gateway and the contents of the sinks, and abandons the
open rotation. First stop any other Tollkeeper that manages the service.

Exits with 1 if there is a difference and --apply is not given, and if a sink
holds a deleted, expired or disabled key.

Examples:
  tollkeeper keys reconcile
  tollkeeper keys reconcile billing --apply`,
    inputs: ({ apply = false }) => ({ apply: apply === true }),
    show: ({ print }, { answer: services, json, exit }) => {
      print(json === true ? jsonText(services) : render(services));
      exit(services.every(({ applied, faults }) => applied && faults.length === 0) ? 0 : 1);
    },
  });
