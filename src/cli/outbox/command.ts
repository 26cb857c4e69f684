import { InvalidArgumentError, type Command } from 'commander';
import { jsonText, type Deps } from '../../core/index.ts';
import {
  inputTexts,
  mailTones,
  outboxJson,
  type Commands,
  type OutboxAnswer,
  type OutboxView,
} from '../../app/index.ts';
import { configOption, positiveCount } from '../options.ts';
import { ask } from '../ask.ts';
import { screenOf } from '../ui/paint.ts';
import { renderOutbox, renderOutboxAnswers } from './render.ts';

const listTexts = inputTexts('outbox/list');
const namedTexts = inputTexts('outbox/resend');
const heldTexts = inputTexts('outbox/release');

type State = OutboxView['state'];
type ListOptions = {
  readonly config: string;
  readonly state?: readonly State[];
  readonly limit: number;
  readonly json?: boolean;
};
type RequestOptions = { readonly config: string; readonly json?: boolean };

const states = Object.keys(mailTones) as readonly State[];

/** `failed,unknown`; repeated options add up. */
const readStates = (text: string, before: readonly State[] = []): readonly State[] => {
  const known = text.split(',').map((name) => {
    const state = states.find((one) => one === name.trim());
    if (state === undefined) throw new InvalidArgumentError(`it must be of ${states.join(', ')}`);
    return state;
  });
  return [...before, ...known];
};

export const define = (outbox: Command, deps: Deps): void => {
  const print = (text: string): void => deps.stdout.write(deps.secrets.redact(text));
  const screen = () => screenOf(deps.stdout, deps.env);

  outbox
    .addOption(configOption())
    .option('-s, --state <states>', listTexts.states, readStates)
    .option('-n, --limit <number>', listTexts.limit, positiveCount, 50)
    .option('--json', 'print them as JSON, times in UTC')
    .addHelpText(
      'after',
      `
States:
  queued     not attempted yet
  deferred   retried at the time shown: 1 minute after the first attempt, then
             at growing intervals up to 1 hour, for 5 days
  failed     permanently refused, or abandoned
  unknown    may or may not have arrived; the same bytes with the same
             Message-ID are sent up to two more times, then a decision is
             required
  held       unsent in a restored backup; \`outbox release\` sends it

Failed, unknown and held messages make \`status\` exit with 1 until they are
resent, released or dropped.

Examples:
  tollkeeper outbox
  tollkeeper outbox --state failed,unknown
  tollkeeper outbox --json | jq '.[] | select(.attempts > 3)'
  tollkeeper outbox resend 42
  tollkeeper outbox drop 42 43`,
    )
    .action(async ({ config, state, limit, json }: ListOptions) => {
      const query = { limit, states: state };
      const rows = await ask(deps, config, (commands) => commands.call('outbox/list', query), {
        reads: true,
      });
      print(json === true ? jsonText(outboxJson(rows)) : renderOutbox(rows, deps.clock.now(), screen()));
    });

  const request = (
    command: Command,
    handleRequest: (call: Commands, ids: readonly string[]) => Promise<readonly OutboxAnswer[]>,
  ): void => {
    command
      .argument('<id...>', namedTexts.ids)
      .addOption(configOption())
      .option('--json', 'print the outcome of each as JSON')
      .action(async (ids: readonly string[], { config, json }: RequestOptions) => {
        const answers = await ask(deps, config, (commands) =>
          handleRequest(commands.call, [...new Set(ids)]),
        );
        print(json === true ? jsonText(answers) : renderOutboxAnswers(answers, screen()));
        command.setOptionValue('exitCode', answers.every(({ done }) => done) ? 0 : 1);
      });
  };

  request(
    outbox
      .command('resend')
      .description('Send messages again now: the same bytes with the same Message-ID.')
      .addHelpText(
        'after',
        `
Does not ask for confirmation. Also resends messages that were sent; the
recipient may then receive them twice. If the server does not accept a message
now, it is retried for 5 days.

Exits with 1 if a message cannot be sent because it is being sent or its bytes
are missing.

Examples:
  tollkeeper outbox resend 42
  tollkeeper outbox resend $(tollkeeper outbox --state failed --json | jq -r '.[].id')`,
      ),
    (call, ids) => call('outbox/resend', { ids }, { signal: deps.signal }),
  );
  outbox
    .command('release')
    .description('Send the messages that a restore held.')
    .argument('[id...]', heldTexts.ids)
    .addOption(configOption())
    .option('--json', 'print the outcome of each as JSON')
    .addHelpText(
      'after',
      `
Messages that are unsent in a backup may have been sent after it, so
\`tollkeeper restore\` holds them. Compare them with what the recipients have
before you release them; drop the others with \`tollkeeper outbox drop\`.

Examples:
  tollkeeper outbox --state held
  tollkeeper outbox release
  tollkeeper outbox release 42 43`,
    )
    .action(async (ids: readonly string[], { config, json }: RequestOptions, command: Command) => {
      const input = ids.length === 0 ? {} : { ids: [...new Set(ids)] };
      const answers = await ask(deps, config, (commands) =>
        commands.call('outbox/release', input, { signal: deps.signal }),
      );
      if (json === true) print(jsonText(answers));
      else print(answers.length === 0 ? 'no message is held\n' : renderOutboxAnswers(answers, screen()));
      command.setOptionValue('exitCode', answers.every(({ done }) => done) ? 0 : 1);
    });
  request(
    outbox
      .command('drop')
      .description('Drop messages, so that they are not sent (again).')
      .addHelpText(
        'after',
        `
Does not ask for confirmation. The row is kept, so that the same message is not
created again. \`outbox resend\` reverts a drop as long as the bytes are kept
(mail.keep).

Exits with 1 if a message cannot be dropped because it was sent or is being
sent.

Examples:
  tollkeeper outbox drop 42
  tollkeeper outbox drop $(tollkeeper outbox --state unknown --json | jq -r '.[].id')`,
      ),
    (call, ids) => call('outbox/drop', { ids }),
  );
};
