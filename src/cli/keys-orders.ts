import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { fault } from '../base/index.ts';
import { configOption } from './config-option.ts';
import { jsonText } from './json.ts';
import { agreed, printOutcome } from './keys-means.ts';
import type { KeysMeans } from './keys-means.ts';
import { whole } from './options.ts';
import { oneLine } from './text.ts';

type Common = {
  readonly config: string;
  readonly account?: string;
  readonly json?: boolean;
  readonly yes?: boolean;
};
type RotateOptions = Common & { readonly job?: string; readonly now?: boolean };
type ExpireOptions = Common & { readonly at?: string };
type CreateOptions = Common & {
  readonly job: string;
  readonly quota?: string;
  readonly unlimited?: boolean;
  readonly expires?: string;
  readonly group?: string;
};
type AdoptOptions = Common & { readonly service: string; readonly generation: number };

const inAccount = ({ account }: Common) => (account === undefined ? {} : { account });

const common = (command: Command): Command =>
  command
    .addOption(configOption())
    .option('-a, --account <name>', 'which account; all of them are looked through unless given')
    .option('--json', 'print what came of it as JSON, times in UTC');

const whatKey = 'a service (its newest key), the name of a key, or an id; id:42 is always the id';

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

const addRotate = (keys: Command, part: KeysMeans): void => {
  const command = common(keys.command('rotate'))
    .description('gives a service a new key through every step, or takes up a rotation that is under way')
    .argument('<key>', whatKey)
    .option(
      '-j, --job <name>',
      'the rotate-keys job whose sinks and terms are taken; the one that covers it unless given',
    )
    .option(
      '--now',
      'for a leaked key: no overlap, the old one is deleted as soon as the new one is delivered',
    )
    .option('-y, --yes', 'with --now: ask nothing')
    .addHelpText(
      'after',
      `
The old key stays as it is until the new one works, lies in every sink and nobody uses the old one any more; the daemon
sees to that. Exit code 0 when the steps that can be taken now were, 1 when one failed or it waits for a person.

Examples:
  tollkeeper keys rotate billing
  tollkeeper keys rotate billing.g7 --job rotate-prod
  tollkeeper keys rotate id:4711 --now`,
    );
  command.action(async (key: string, options: RotateOptions) => {
    const now = options.now === true;
    if (now)
      await agreed(
        part.ask,
        options.yes,
        `The key of ${oneLine(key)} is replaced and deleted at once; whoever still holds it is refused. Go on?`,
      );
    const outcome = await part.withKeys(options.config, (commands, progress) =>
      commands.rotate(
        {
          key,
          now,
          who: part.person(),
          ...(options.job === undefined ? {} : { job: options.job }),
          ...inAccount(options),
        },
        progress,
        part.means.signal,
      ),
    );
    printOutcome(part, command, outcome, options.json);
  });
};

const addExpire = (keys: Command, part: KeysMeans): void => {
  const command = common(keys.command('expire'))
    .description('sets the expiry of one key; nothing takes its place')
    .argument('<key>', whatKey)
    .option('--at <moment>', 'when it is to end: 2026-12-01, 2026-12-01T08:00Z or +48h; now unless given')
    .option('-y, --yes', 'ask nothing')
    .addHelpText(
      'after',
      `
Moments are read in the zone of the config. The key stays in the list and can be given a later expiry.

Examples:
  tollkeeper keys expire billing.g6
  tollkeeper keys expire id:4711 --at +48h
  tollkeeper keys expire old-batch --at 2026-12-01 --yes`,
    );
  command.action(async (key: string, options: ExpireOptions) => {
    await agreed(
      part.ask,
      options.yes,
      `${oneLine(key)} is refused ${options.at === undefined ? 'from now on' : `from ${oneLine(options.at)} on`}. Go on?`,
    );
    const outcome = await part.withKeys(options.config, (commands) =>
      commands.expire(
        {
          key,
          who: part.person(),
          ...(options.at === undefined ? {} : { at: options.at }),
          ...inAccount(options),
        },
        part.means.signal,
      ),
    );
    printOutcome(part, command, outcome, options.json);
  });
};

const quotaOf = ({ quota, unlimited }: CreateOptions): string => {
  if (quota !== undefined && unlimited !== true) return quota;
  if (quota === undefined && unlimited === true) return 'unlimited';
  throw fault('wrong-use', 'a new key has either a quota or none', {
    advice: 'give --quota N or --unlimited',
  });
};

const addCreate = (keys: Command, part: KeysMeans): void => {
  const command = common(keys.command('create'))
    .description('makes the first key of a service through the same steps: verified, delivered, read back')
    .argument('<service>', 'its name')
    .requiredOption('-j, --job <name>', 'the rotate-keys job whose sinks and terms are taken')
    .option('--quota <amount>', 'what it may spend, in the unit of the gateway')
    .option('--unlimited', 'it has no quota')
    .option('--expires <moment>', 'when it ends: 2026-12-01, 2026-12-01T08:00Z or +90d; never unless given')
    .option('--group <name>', 'its group; the default group of the gateway unless given')
    .addHelpText(
      'after',
      `
The key is shown to nobody: it goes into the sinks of the job.

Examples:
  tollkeeper keys create billing --job rotate-prod --unlimited
  tollkeeper keys create batch --job rotate-prod --quota 500 --expires +90d --group default`,
    );
  command.action(async (service: string, options: CreateOptions) => {
    const quota = quotaOf(options);
    const { expires, group } = options;
    const outcome = await part.withKeys(options.config, (commands, progress) =>
      commands.create(
        {
          service,
          job: options.job,
          quota,
          who: part.person(),
          ...(expires === undefined ? {} : { expires }),
          ...(group === undefined ? {} : { group }),
          ...inAccount(options),
        },
        progress,
        part.means.signal,
      ),
    );
    printOutcome(part, command, outcome, options.json);
  });
};

const printSaid = ({ print }: KeysMeans, said: { readonly said: string }, json: boolean | undefined): void =>
  print(json === true ? jsonText(said) : `${oneLine(said.said)}\n`);

const addAdopt = (keys: Command, part: KeysMeans): void => {
  common(keys.command('adopt'))
    .description('says of which service, and which generation of it, a key is that was there before')
    .argument('<key>', whatKey)
    .requiredOption('-s, --service <name>', 'the service that it is a key of')
    .addOption(
      new Option('-g, --generation <number>', 'its place in the line of the service')
        .argParser(generation)
        .makeOptionMandatory(),
    )
    .addHelpText(
      'after',
      `
Nothing changes at the gateway. Keys whose names fit the template of their job need no adopting.

Examples:
  tollkeeper keys adopt prod-key-2025 --service billing --generation 1
  tollkeeper keys adopt id:4711 -s billing -g 3`,
    )
    .action(async (key: string, options: AdoptOptions) => {
      const { service, generation: place } = options;
      const said = await part.withKeys(options.config, (commands) =>
        commands.adopt(
          { key, service, generation: place, who: part.person(), ...inAccount(options) },
          part.means.signal,
        ),
      );
      printSaid(part, said, options.json);
    });
};

const addConfirm = (keys: Command, part: KeysMeans): void => {
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
      const said = await part.withKeys(options.config, (commands) =>
        commands.confirm({ service, fingerprint: hash, who: part.person(), ...inAccount(options) }),
      );
      printSaid(part, said, options.json);
    });
};

const addResume = (keys: Command, part: KeysMeans): void => {
  const command = common(keys.command('resume'))
    .description('lets a rotation go on that waits for a person')
    .argument('<service>', 'its name')
    .addHelpText(
      'after',
      `
Mend first what it waits for: \`tollkeeper keys list\` says what that is.

Examples:
  tollkeeper keys resume billing`,
    );
  command.action(async (service: string, options: Common) => {
    const outcome = await part.withKeys(options.config, (commands, progress) =>
      commands.resume({ service, who: part.person(), ...inAccount(options) }, progress, part.means.signal),
    );
    printOutcome(part, command, outcome, options.json);
  });
};

const addGiveUp = (keys: Command, part: KeysMeans): void => {
  common(keys.command('give-up'))
    .description('ends a rotation that is under way; its new key is cleared away unless a sink may hold it')
    .argument('<service>', 'its name')
    .option('-y, --yes', 'ask nothing')
    .addHelpText(
      'after',
      `
The old key stays as it is. What a sink may hold is retired later, once nobody uses it.

Examples:
  tollkeeper keys give-up billing`,
    )
    .action(async (service: string, options: Common) => {
      await agreed(part.ask, options.yes, `The rotation of ${oneLine(service)} ends where it is. Go on?`);
      const said = await part.withKeys(options.config, (commands) =>
        commands.giveUp({ service, who: part.person(), ...inAccount(options) }),
      );
      printSaid(part, said, options.json);
    });
};

/** Orders of a person on one key or service. */
export const addKeyOrders = (keys: Command, part: KeysMeans): void => {
  for (const add of [addRotate, addExpire, addCreate, addAdopt, addConfirm, addResume, addGiveUp])
    add(keys, part);
};
