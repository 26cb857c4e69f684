import { resolve } from 'node:path';
import {
  openCommands,
  type CommandAnswer,
  type CommandInput,
  type CommandName,
  type KeyOutcome,
  type OpenCommands,
} from '../../app/index.ts';
import { fault, type Deps, type Progress, jsonText } from '../../core/index.ts';
import { askOnTerminal, personOf, type Ask } from './person.ts';
import { screenOf } from '../ui/paint.ts';
import { withoutDaemon } from './without-daemon.ts';
import { createPlainLog } from '../ui/plain-log.ts';
import { showProgress } from '../ui/progress.ts';
import { keyOutcomeJson, renderKeyOutcome } from './render/outcome.ts';
import { renderStale } from './render/plan.ts';

export type OpenKeys = OpenCommands & { readonly progress: Progress };

export type KeysDeps = {
  readonly deps: Deps;
  readonly person: () => string;
  readonly ask: Ask;
  readonly openKeys: (config: string) => Promise<OpenKeys>;
  readonly print: (text: string) => void;
};

export const keysDeps = (deps: Deps): KeysDeps => ({
  deps,
  person: personOf,
  ask: askOnTerminal(deps),
  print: (text) => deps.stdout.write(deps.secrets.redact(text)),
  openKeys: (config) => {
    const { progress, end } = showProgress(deps.stderr, deps.clock);
    const options = { folder: resolve(deps.cwd, config), log: createPlainLog(deps, end) };
    return openCommands(deps, options).then((commands) => ({
      ...commands,
      progress,
      [Symbol.asyncDispose]: async () => {
        try {
          await commands[Symbol.asyncDispose]();
        } finally {
          end();
        }
      },
    }));
  },
});

/** What a command answered, and how it is to be shown. */
export type Shown<Answer> = {
  readonly answer: Answer;
  readonly fromDaemon: boolean;
  readonly json: boolean | undefined;
  /** Sets the exit code. */
  readonly exit: (code: number) => void;
};

/** Closes the commands before the answer is printed. */
export const request = async <Name extends CommandName>(
  { deps, openKeys }: KeysDeps,
  config: string,
  name: Name,
  input: CommandInput<Name>,
): Promise<{ readonly answer: CommandAnswer<Name>; readonly fromDaemon: boolean }> => {
  await using keys = await openKeys(config);
  const { progress, fromDaemon } = keys;
  const answer = await keys.call(name, input, { progress, signal: deps.signal });
  return { answer, fromDaemon };
};

/** Requires confirmation on the terminal, or `--yes`. @throws Fault `aborted` */
export const agreed = async (agree: Ask, yes: boolean | undefined, question: string): Promise<void> => {
  if (yes === true || agree === undefined) return;
  if (!(await agree(question)))
    throw fault('aborted', 'nothing was done', { advice: 'answer y, or use --yes' });
};

/** For operations that take a key away from its users: a script must pass `--yes`. @throws Fault `wrong-use`, `aborted` */
export const agreedForGood = async (
  agree: Ask,
  yes: boolean | undefined,
  question: string,
): Promise<void> => {
  if (yes !== true && agree === undefined)
    throw fault(
      'wrong-use',
      'calls with this key will be refused, and there is no terminal for the confirmation',
      {
        advice: 'use --yes to skip the confirmation',
      },
    );
  await agreed(agree, yes, question);
};

/** The exit code is 1 unless the outcome is good. */
export const printOutcome = (
  { deps, print }: KeysDeps,
  { answer, fromDaemon, json, exit }: Shown<KeyOutcome>,
): void => {
  const outcome = fromDaemon ? answer : withoutDaemon(answer);
  const screen = screenOf(deps.stdout, deps.env);
  if (json === true) print(jsonText(keyOutcomeJson(outcome)));
  else
    print(
      outcome.stale === undefined ? renderKeyOutcome(outcome, screen) : renderStale(outcome.stale, screen),
    );
  exit(outcome.good ? 0 : 1);
};
