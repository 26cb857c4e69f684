import type { Command } from 'commander';
import { fault } from '../../core/index.ts';
import { inputTexts } from '../../daemon/index.ts';
import { agreedForGood, printOutcome, request, type KeysDeps } from './deps.ts';
import { common, inAccount, type Common } from './options.ts';
import { oneLine } from '../ui/text.ts';

const rotateTexts = inputTexts('keys/rotate');
const expireTexts = inputTexts('keys/expire');
const createTexts = inputTexts('keys/create');

type RotateOptions = Common & {
  readonly job?: string | undefined;
  readonly now?: boolean;
  readonly quota?: string | undefined;
};
type ExpireOptions = Common & {
  readonly at?: string | undefined;
  readonly evenIfCurrent?: boolean;
  readonly delete?: boolean;
};
type CreateOptions = Common & {
  readonly job: string;
  readonly quota?: string | undefined;
  readonly unlimited?: boolean;
  readonly expires?: string | undefined;
  readonly group?: string | undefined;
};

const addRotate = (keys: Command, part: KeysDeps): void => {
  const command = common(keys.command('rotate'))
    .description('Rotate the key of a service through every step, or resume an open rotation.')
    .argument('<key>', rotateTexts.key)
    .option('-j, --job <name>', rotateTexts.job)
    .option('--now', rotateTexts.now)
    .option('--quota <amount>', rotateTexts.quota)
    .option('-y, --yes', 'with --now: skip the confirmation; required without a terminal')
    .addHelpText(
      'after',
      `
The old key is not changed until the new key passes verification, is in every
sink, and the old key is no longer used. The daemon (\`tollkeeper serve\`) takes
these steps; without a daemon, repeat the command to take the steps that are
due.

Exits with 0 if all steps that are possible now were taken, and with 1 if a step
failed or the rotation is paused.

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
        `The key of ${oneLine(key)} is replaced and deleted at once; calls with it will be refused. Continue?`,
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
    .description('Set the expiry of a key without replacing it.')
    .argument('<key>', expireTexts.key)
    .option('--at <moment>', expireTexts.at)
    .option('--delete', expireTexts.delete)
    .option('--even-if-current', expireTexts.evenIfCurrent)
    .option('-y, --yes', 'skip the confirmation; required without a terminal')
    .addHelpText(
      'after',
      `
Times are read in the time zone of the configuration, and converted to the clock
of the gateway. Without --at the key is expired at once; if a sink of its service
shows the key, it is called until the gateway refuses it, for eleven minutes at
most. The key stays in the list and can be given a later expiry. A key that a job delivers and that is the only
key of its service is rejected: replace a compromised one with \`keys rotate
SERVICE --now\`.

Examples:
  tollkeeper keys expire billing.g6
  tollkeeper keys expire id:4711 --at +48h
  tollkeeper keys expire old-batch --at 2026-12-01 --yes
  tollkeeper keys expire id:4711 --delete`,
    );
  command.action(async (key: string, options: ExpireOptions) => {
    await agreedForGood(
      part.ask,
      options.yes,
      `${oneLine(key)} is refused ${options.at === undefined ? 'from now on' : `from ${oneLine(options.at)} on`}. Continue?`,
    );
    const outcome = await request(part, options.config, 'keys/expire', {
      key,
      who: part.person(),
      at: options.at,
      ...(options.evenIfCurrent === true ? { evenIfCurrent: true } : {}),
      ...(options.delete === true ? { delete: true } : {}),
      ...inAccount(options),
    });
    printOutcome(part, command, outcome, options.json);
  });
};

const quotaOf = ({ quota, unlimited }: CreateOptions): string => {
  if (quota !== undefined && unlimited !== true) return quota;
  if (quota === undefined && unlimited === true) return 'unlimited';
  throw fault('wrong-use', 'a new key needs either a quota or --unlimited', {
    advice: 'use --quota N or --unlimited',
  });
};

const addCreate = (keys: Command, part: KeysDeps): void => {
  const command = common(keys.command('create'))
    .description('Create the first key of a service through the same steps: verify, deliver, read back.')
    .argument('<service>', createTexts.service)
    .requiredOption('-j, --job <name>', createTexts.job)
    .option('--quota <amount>', createTexts.quota)
    .option('--unlimited', 'no quota')
    .option('--expires <moment>', createTexts.expires)
    .option('--group <name>', createTexts.group)
    .addHelpText(
      'after',
      `
The key is never displayed: it is delivered to the sinks of the job.

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

export const addKeyOperations = (keys: Command, part: KeysDeps): void => {
  for (const add of [addRotate, addExpire, addCreate]) add(keys, part);
};
