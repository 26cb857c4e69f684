import type { Command } from 'commander';
import { fault } from '../../core/index.ts';
import { agreedForGood, printOutcome, request } from './deps.ts';
import type { KeysDeps } from './deps.ts';
import { common, inAccount, whatKey } from './options.ts';
import type { Common } from './options.ts';
import { oneLine } from '../ui/text.ts';

type RotateOptions = Common & {
  readonly job?: string | undefined;
  readonly now?: boolean;
  readonly quota?: string | undefined;
};
type ExpireOptions = Common & { readonly at?: string | undefined; readonly evenIfCurrent?: boolean };
type CreateOptions = Common & {
  readonly job: string;
  readonly quota?: string | undefined;
  readonly unlimited?: boolean;
  readonly expires?: string | undefined;
  readonly group?: string | undefined;
};

const addRotate = (keys: Command, part: KeysDeps): void => {
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
    .option(
      '--quota <amount>',
      'what the new key may spend, in the unit of the gateway, or unlimited; what the job says unless given',
    )
    .option('-y, --yes', 'with --now: ask nothing; needed where there is no terminal to ask on')
    .addHelpText(
      'after',
      `
The old key stays as it is until the new one works, lies in every sink and nobody uses the old one any more; the daemon
(\`tollkeeper serve\`) sees to that, and where none runs, saying this again takes the steps that are due. Exit code 0 when the steps that can be taken now were, 1 when one failed or it waits for a person.

Examples:
  tollkeeper keys rotate billing
  tollkeeper keys rotate billing.g7 --job rotate-prod
  tollkeeper keys rotate billing --quota 500     its key has nothing left
  tollkeeper keys rotate id:4711 --now`,
    );
  command.action(async (key: string, options: RotateOptions) => {
    const now = options.now === true;
    if (now)
      await agreedForGood(
        part.ask,
        options.yes,
        `The key of ${oneLine(key)} is replaced and deleted at once; whoever still holds it is refused. Go on?`,
      );
    const outcome = await request(part, options.config, 'keys/rotate', {
      key,
      now,
      who: part.person(),
      job: options.job,
      quota: options.quota,
      ...inAccount(options),
    });
    printOutcome(part, command, outcome, options.json);
  });
};

const addExpire = (keys: Command, part: KeysDeps): void => {
  const command = common(keys.command('expire'))
    .description('sets the expiry of one key; nothing takes its place')
    .argument('<key>', whatKey)
    .option('--at <moment>', 'when it is to end: 2026-12-01, 2026-12-01T08:00Z or +48h; now unless given')
    .option('--even-if-current', 'though sinks hold it: whoever reads them is refused')
    .option('-y, --yes', 'ask nothing; needed where there is no terminal to ask on')
    .addHelpText(
      'after',
      `
Moments are read in the zone of the config. The key stays in the list and can be given a later expiry. A key that a job
delivers, and that its service has no other than, is refused: a leaked one is replaced by \`keys rotate SERVICE --now\`.

Examples:
  tollkeeper keys expire billing.g6
  tollkeeper keys expire id:4711 --at +48h
  tollkeeper keys expire old-batch --at 2026-12-01 --yes`,
    );
  command.action(async (key: string, options: ExpireOptions) => {
    await agreedForGood(
      part.ask,
      options.yes,
      `${oneLine(key)} is refused ${options.at === undefined ? 'from now on' : `from ${oneLine(options.at)} on`}. Go on?`,
    );
    const outcome = await request(part, options.config, 'keys/expire', {
      key,
      who: part.person(),
      at: options.at,
      ...(options.evenIfCurrent === true ? { evenIfCurrent: true } : {}),
      ...inAccount(options),
    });
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

const addCreate = (keys: Command, part: KeysDeps): void => {
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
    const outcome = await request(part, options.config, 'keys/create', {
      service,
      job: options.job,
      quota,
      who: part.person(),
      expires,
      group,
      ...inAccount(options),
    });
    printOutcome(part, command, outcome, options.json);
  });
};

/** Orders that make, replace and end keys. */
export const addKeyOperations = (keys: Command, part: KeysDeps): void => {
  for (const add of [addRotate, addExpire, addCreate]) add(keys, part);
};
