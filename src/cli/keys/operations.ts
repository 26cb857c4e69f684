import { InvalidArgumentError, type Command } from 'commander';
import { fault, jsonText } from '../../core/index.ts';
import { printOutcome, type KeysDeps, type Shown } from './deps.ts';
import { addKeyCommand } from './key-command.ts';
import { onlyBy } from './without-daemon.ts';
import { whole } from '../options.ts';
import { oneLine } from '../ui/text.ts';

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

const quotaOf = (quota: unknown, isUnlimited: boolean): string => {
  if (typeof quota === 'string' && !isUnlimited) return quota;
  if (quota === undefined && isUnlimited) return 'unlimited';
  throw fault('wrong-use', 'a new key needs either a quota or --unlimited', {
    advice: 'use --quota N or --unlimited',
  });
};

const showMessage = (
  { print }: KeysDeps,
  { answer, json }: Pick<Shown<{ readonly message: string }>, 'answer' | 'json'>,
): void => print(json === true ? jsonText(answer) : `${oneLine(answer.message)}\n`);

/** The commands that change keys, or what the journal knows of them. */
export const addKeyOperations = (keys: Command, part: KeysDeps): void => {
  addKeyCommand(keys, part, 'keys/rotate', {
    description: 'Rotate the key of a service through every step, or resume an open rotation.',
    args: ['<key>'],
    options: [
      '-j, --job <name>',
      '--now',
      '--quota <amount>',
      { flags: '-y, --yes', text: 'with --now: skip the confirmation; required without a terminal' },
    ],
    help: `The old key is not changed until the new key passes verification, is in every
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
    inputs: ({ now = false }) => ({ now: now === true }),
    question: ({ key, now }) =>
      now
        ? {
            text: `The key of ${oneLine(key)} is replaced and deleted at once; calls with it will be refused. Continue?`,
            isForGood: true,
          }
        : undefined,
    show: printOutcome,
  });
  addKeyCommand(keys, part, 'keys/expire', {
    description: 'Set the expiry of a key without replacing it.',
    args: ['<key>'],
    options: [
      '--at <moment>',
      '--delete',
      '--even-if-current',
      { flags: '-y, --yes', text: 'skip the confirmation; required without a terminal' },
    ],
    help: `Times are read in the time zone of the configuration, and converted to the clock
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
    question: ({ key, at }) => ({
      text: `${oneLine(key)} is refused ${at === undefined ? 'from now on' : `from ${oneLine(at)} on`}. Continue?`,
      isForGood: true,
    }),
    show: printOutcome,
  });
  addKeyCommand(keys, part, 'keys/create', {
    description: 'Create the first key of a service through the same steps: verify, deliver, read back.',
    args: ['<service>'],
    options: [
      { flags: '-j, --job <name>', isMandatory: true },
      '--quota <amount>',
      { flags: '--unlimited', text: 'no quota' },
      '--expires <moment>',
      '--group <name>',
    ],
    help: `The key is never displayed: it is delivered to the sinks of the job.

Examples:
  tollkeeper keys create billing --job rotate-prod --unlimited
  tollkeeper keys create batch --job rotate-prod --quota 500 --expires +90d --group default`,
    inputs: ({ quota, unlimited }) => ({ quota: quotaOf(quota, unlimited === true) }),
    show: printOutcome,
  });
  addKeyCommand(keys, part, 'keys/adopt', {
    description: 'Assign an existing key to a service as one of its generations.',
    args: ['<key>'],
    options: [
      { flags: '-s, --service <name>', isMandatory: true },
      { flags: '-g, --generation <number>', parse: generation, isMandatory: true },
      '--move',
    ],
    help: `Changes nothing at the gateway. Keys whose names match the template of their job
need not be adopted. The command is rejected while the service has an open
rotation, and for a generation more than 1000 above the highest one.

Examples:
  tollkeeper keys adopt prod-key-2025 --service billing --generation 1
  tollkeeper keys adopt id:4711 -s billing -g 3
  tollkeeper keys adopt search -s billing -g 4 --move`,
    show: showMessage,
  });
  addKeyCommand(keys, part, 'keys/confirm', {
    description: 'Confirm by its SHA-256 which key has arrived, for sinks that cannot be read back.',
    args: ['<service>', '<fingerprint>'],
    help: `Examples:
  tollkeeper keys confirm billing "$(age -d -i me.txt billing.age | tr -d '\\n' | sha256sum | cut -d ' ' -f 1)"`,
    inputs: ({ fingerprint }) => ({ fingerprint: fingerprintOf(String(fingerprint)) }),
    show: (_, { input, answer, fromDaemon, json }) => {
      const message = fromDaemon ? answer.message : `${answer.message}; ${onlyBy([input.service])}`;
      showMessage(part, { answer: { message }, json });
    },
  });
  addKeyCommand(keys, part, 'keys/resume', {
    description: 'Resume a paused rotation.',
    args: ['<service>'],
    help: `First fix the problem that \`tollkeeper keys list\` shows.

Examples:
  tollkeeper keys resume billing`,
    show: printOutcome,
  });
  addKeyCommand(keys, part, 'keys/give-up', {
    description: 'Abandon an open rotation; its new key is deleted unless a sink may contain it.',
    args: ['<service>'],
    options: ['--forget-places', { flags: '-y, --yes', text: 'ask nothing' }],
    help: `The old key is not changed. If a sink may contain the new key, these sinks are
printed: run \`keys rotate\` next, which delivers one key to all of them. A job in
mode apply does so by itself.

An old key is retained while a place that no job declares any more may hold it.
With --forget-places the rotation continues as if these places held no key; the
audit log records who confirmed it.

Examples:
  tollkeeper keys give-up billing
  tollkeeper keys give-up billing --forget-places`,
    question: ({ service, forgetPlaces }) => ({
      text:
        forgetPlaces === true
          ? `Places that no job declares any more are taken to hold no key of ${oneLine(service)}. Continue?`
          : `The rotation of ${oneLine(service)} is abandoned. Continue?`,
    }),
    show: showMessage,
  });
};
