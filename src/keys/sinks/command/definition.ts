import { defineSink } from '../definition.ts';
import { fillArgument } from '../fill.ts';
import { short, wholePlace } from '../place.ts';
import { createCommandSink } from './command-sink.ts';
import { commandSettings, commandSpecOf } from './settings.ts';

export const commandSink = defineSink({
  kind: 'command',
  description: 'Command sink: a program that stores the key.',
  settings: commandSettings,
  spec: commandSpecOf,
  fill: (spec, names) => {
    const argvOf = (argv: readonly string[]) => argv.map((one) => fillArgument(one, names));
    return { ...spec, argv: argvOf(spec.argv), read: spec.read && argvOf(spec.read) };
  },
  // The program decides where it stores the key, so the service is part of the place.
  place: ({ argv }, { account, service }) =>
    wholePlace(`command:${account}/${service}:${argv[0] ?? ''}~${short(JSON.stringify(argv))}`),
  create: createCommandSink,
});
