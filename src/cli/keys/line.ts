import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { fault } from '../../core/index.ts';
import { jsonText } from '../ui/json.ts';
import { agreed, printOutcome, request } from './deps.ts';
import { onlyBy } from './without-daemon.ts';
import type { KeysDeps } from './deps.ts';
import { common, inAccount, whatKey } from './options.ts';
import type { Common } from './options.ts';
import { whole } from '../options.ts';
import { oneLine } from '../ui/text.ts';

type AdoptOptions = Common & {
  readonly service: string;
  readonly generation: number;
  readonly move?: boolean;
};

const generation = (text: string): number => {
  const place = whole(text);
  if (place < 1) throw new InvalidArgumentError('it must be from 1 on');
  return place;
};

const sha256 = /^[0-9a-f]{64}$/;

/** @throws Fault `wrong-use`, without what was given: it may be the key itself */
const fingerprintOf = (text: string): string => {
  const hash = text.trim().toLowerCase();
  if (sha256.test(hash)) return hash;
  throw fault('wrong-use', 'that is no SHA-256: it has 64 hexadecimal digits', {
    advice:
      'compute it with `printf %s "$KEY" | sha256sum`; where it was the key itself that you gave, it is in the history of your shell now',
  });
};

const printMessage = (
  { print }: KeysDeps,
  said: { readonly said: string },
  json: boolean | undefined,
): void => print(json === true ? jsonText(said) : `${oneLine(said.said)}\n`);

const addAdopt = (keys: Command, part: KeysDeps): void => {
  common(keys.command('adopt'))
    .description('says of which service, and which generation of it, a key is that was there before')
    .argument('<key>', whatKey)
    .requiredOption('-s, --service <name>', 'the service that it is a key of')
    .addOption(
      new Option('-g, --generation <number>', 'its place in the line of the service')
        .argParser(generation)
        .makeOptionMandatory(),
    )
    .option('--move', 'take it out of the service that it is a key of so far')
    .addHelpText(
      'after',
      `
Nothing changes at the gateway. Keys whose names fit the template of their job need no adopting. Refused while the service
has a rotation under way, and for a generation that is more than 1000 above the highest there is.

Examples:
  tollkeeper keys adopt prod-key-2025 --service billing --generation 1
  tollkeeper keys adopt id:4711 -s billing -g 3
  tollkeeper keys adopt search -s billing -g 4 --move`,
    )
    .action(async (key: string, options: AdoptOptions) => {
      const { service, generation: place } = options;
      const { answer } = await request(part, options.config, 'keys/adopt', {
        key,
        service,
        generation: place,
        who: part.person(),
        ...(options.move === true ? { move: true } : {}),
        ...inAccount(options),
      });
      printMessage(part, answer, options.json);
    });
};

const addConfirm = (keys: Command, part: KeysDeps): void => {
  common(keys.command('confirm'))
    .description(
      'a person says which key has reached them, by its SHA-256: for sinks that nobody can read back',
    )
    .argument('<service>', 'its name')
    .argument('<fingerprint>', 'SHA-256 of the key, 64 hexadecimal digits; never the key itself')
    .addHelpText(
      'after',
      `
Examples:
  tollkeeper keys confirm billing "$(age -d -i me.txt billing.age | tr -d '\\n' | sha256sum | cut -d ' ' -f 1)"`,
    )
    .action(async (service: string, fingerprint: string, options: Common) => {
      const hash = fingerprintOf(fingerprint);
      const { answer, fromDaemon } = await request(part, options.config, 'keys/confirm', {
        service,
        fingerprint: hash,
        who: part.person(),
        ...inAccount(options),
      });
      const said = fromDaemon ? answer.said : `${answer.said}; ${onlyBy([service])}`;
      printMessage(part, { said }, options.json);
    });
};

const addResume = (keys: Command, part: KeysDeps): void => {
  const command = common(keys.command('resume'))
    .description('lets a rotation go on that waits for a person')
    .argument('<service>', 'its name')
    .addHelpText(
      'after',
      `
Fix first what it waits for: \`tollkeeper keys list\` says what that is.

Examples:
  tollkeeper keys resume billing`,
    );
  command.action(async (service: string, options: Common) => {
    const outcome = await request(part, options.config, 'keys/resume', {
      service,
      who: part.person(),
      ...inAccount(options),
    });
    printOutcome(part, command, outcome, options.json);
  });
};

const addGiveUp = (keys: Command, part: KeysDeps): void => {
  common(keys.command('give-up'))
    .description('ends a rotation that is under way; its new key is cleared away unless a sink may hold it')
    .argument('<service>', 'its name')
    .option('-y, --yes', 'ask nothing')
    .addHelpText(
      'after',
      `
The old key stays as it is. Where a sink may hold the new one, which places these are is printed: \`keys rotate\` is next,
which delivers one key to all of them, and a job in mode apply begins that by itself.

Examples:
  tollkeeper keys give-up billing`,
    )
    .action(async (service: string, options: Common) => {
      await agreed(part.ask, options.yes, `The rotation of ${oneLine(service)} ends where it is. Go on?`);
      const { answer } = await request(part, options.config, 'keys/give-up', {
        service,
        who: part.person(),
        ...inAccount(options),
      });
      printMessage(part, answer, options.json);
    });
};

/** Orders on the line of a service and on a rotation that is under way. */
export const addServiceOperations = (keys: Command, part: KeysDeps): void => {
  for (const add of [addAdopt, addConfirm, addResume, addGiveUp]) add(keys, part);
};
