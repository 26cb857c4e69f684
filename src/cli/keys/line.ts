import { InvalidArgumentError, Option, type Command } from 'commander';
import { fault, jsonText } from '../../core/index.ts';
import { inputTexts } from '../../daemon/index.ts';
import { agreed, printOutcome, request, type KeysDeps } from './deps.ts';
import { onlyBy } from './without-daemon.ts';
import { common, inAccount, type Common } from './options.ts';
import { whole } from '../options.ts';
import { oneLine } from '../ui/text.ts';

const adoptTexts = inputTexts('keys/adopt');
const confirmTexts = inputTexts('keys/confirm');
const resumeTexts = inputTexts('keys/resume');
const giveUpTexts = inputTexts('keys/give-up');

type AdoptOptions = Common & {
  readonly service: string;
  readonly generation: number;
  readonly move?: boolean;
};

const generation = (text: string): number => {
  const place = whole(text);
  if (place < 1) throw new InvalidArgumentError('it must be 1 or more');
  return place;
};

const sha256 = /^[0-9a-f]{64}$/;

/** @throws Fault `wrong-use`, without the text: it may be the key itself */
const fingerprintOf = (text: string): string => {
  const hash = text.trim().toLowerCase();
  if (sha256.test(hash)) return hash;
  throw fault('wrong-use', 'not a SHA-256: expected 64 hexadecimal digits', {
    advice:
      'compute it with `printf %s "$KEY" | sha256sum`; if you entered the key itself, it is now in your shell history',
  });
};

const printMessage = (
  { print }: KeysDeps,
  message: { readonly message: string },
  json: boolean | undefined,
): void => print(json === true ? jsonText(message) : `${oneLine(message.message)}\n`);

const addAdopt = (keys: Command, part: KeysDeps): void => {
  common(keys.command('adopt'))
    .description('Assign an existing key to a service as one of its generations.')
    .argument('<key>', adoptTexts.key)
    .requiredOption('-s, --service <name>', adoptTexts.service)
    .addOption(
      new Option('-g, --generation <number>', adoptTexts.generation)
        .argParser(generation)
        .makeOptionMandatory(),
    )
    .option('--move', adoptTexts.move)
    .addHelpText(
      'after',
      `
Changes nothing at the gateway. Keys whose names match the template of their job
need not be adopted. The command is rejected while the service has an open
rotation, and for a generation more than 1000 above the highest one.

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
    .description('Confirm by its SHA-256 which key has arrived, for sinks that cannot be read back.')
    .argument('<service>', confirmTexts.service)
    .argument('<fingerprint>', confirmTexts.fingerprint)
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
      const message = fromDaemon ? answer.message : `${answer.message}; ${onlyBy([service])}`;
      printMessage(part, { message }, options.json);
    });
};

const addResume = (keys: Command, part: KeysDeps): void => {
  const command = common(keys.command('resume'))
    .description('Resume a paused rotation.')
    .argument('<service>', resumeTexts.service)
    .addHelpText(
      'after',
      `
First fix the problem that \`tollkeeper keys list\` shows.

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
    .description('Abandon an open rotation; its new key is deleted unless a sink may contain it.')
    .argument('<service>', giveUpTexts.service)
    .option('--forget-places', giveUpTexts.forgetPlaces)
    .option('-y, --yes', 'ask nothing')
    .addHelpText(
      'after',
      `
The old key is not changed. If a sink may contain the new key, these sinks are
printed: run \`keys rotate\` next, which delivers one key to all of them. A job in
mode apply does so by itself.

An old key is retained while a place that no job declares any more may hold it.
With --forget-places the rotation continues as if these places held no key; the
audit log records who confirmed it.

Examples:
  tollkeeper keys give-up billing
  tollkeeper keys give-up billing --forget-places`,
    )
    .action(async (service: string, options: Common & { readonly forgetPlaces?: boolean }) => {
      const { forgetPlaces = false } = options;
      await agreed(
        part.ask,
        options.yes,
        forgetPlaces
          ? `Places that no job declares any more are taken to hold no key of ${oneLine(service)}. Continue?`
          : `The rotation of ${oneLine(service)} is abandoned. Continue?`,
      );
      const { answer } = await request(part, options.config, 'keys/give-up', {
        service,
        who: part.person(),
        ...(forgetPlaces ? { forgetPlaces } : {}),
        ...inAccount(options),
      });
      printMessage(part, answer, options.json);
    });
};

export const addServiceOperations = (keys: Command, part: KeysDeps): void => {
  for (const add of [addAdopt, addConfirm, addResume, addGiveUp]) add(keys, part);
};
