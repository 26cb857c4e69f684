import type { Command } from 'commander';
import type { Commands, KeyOutcome } from '../../daemon/index.ts';
import { fault } from '../../core/index.ts';
import type { Deps, Progress } from '../../core/index.ts';
import { jsonText } from '../ui/json.ts';
import { askOnTerminal, personOf } from './person.ts';
import type { Ask } from './person.ts';
import { withoutDaemon } from './without-daemon.ts';
import { ask } from '../ask.ts';
import { screenOf } from '../ui/paint.ts';
import { createPlainLog } from '../ui/plain-log.ts';
import { showProgress } from '../ui/progress.ts';
import { keyOutcomeJson, renderKeyOutcome } from './render/outcome.ts';
import { renderStale } from './render/plan.ts';

export type KeyCommands = Commands['keys'];

/** What the commands on keys work with. */
export type KeysDeps = {
  readonly deps: Deps;
  readonly person: () => string;
  readonly ask: Ask;
  /** Opens the commands of keys for as long as they are used. */
  readonly withKeys: <T>(
    config: string,
    use: (keys: KeyCommands, progress: Progress) => Promise<T>,
  ) => Promise<T>;
  readonly print: (text: string) => void;
};

export const keysDeps = (deps: Deps): KeysDeps => ({
  deps,
  person: personOf,
  ask: askOnTerminal(deps),
  print: (text) => deps.stdout.write(deps.secrets.redact(text)),
  withKeys: async (config, use) => {
    const { progress, end } = showProgress(deps.stderr, deps.clock);
    try {
      return await ask(
        deps,
        config,
        ({ keys, fromDaemon }) => use(fromDaemon ? keys : withoutDaemon(keys), progress),
        createPlainLog(deps, end),
      );
    } finally {
      end();
    }
  },
});

/** Nothing happens unless a person on the terminal says yes. @throws Fault `aborted` */
export const agreed = async (agree: Ask, yes: boolean | undefined, question: string): Promise<void> => {
  if (yes === true || agree === undefined) return;
  if (!(await agree(question)))
    throw fault('aborted', 'nothing was done', { advice: 'answer y, or give --yes' });
};

/** The same of what takes a key away from whoever uses it: a script has to say it. @throws Fault `wrong-use`, `aborted` */
export const agreedForGood = async (
  agree: Ask,
  yes: boolean | undefined,
  question: string,
): Promise<void> => {
  if (yes !== true && agree === undefined)
    throw fault('wrong-use', 'whoever uses the key is refused, and there is no terminal to ask on', {
      advice: 'give --yes where nobody can be asked',
    });
  await agreed(agree, yes, question);
};

/** Prints what came of an order; the exit code says whether it is well. */
export const printOutcome = (
  { deps, print }: KeysDeps,
  command: Command,
  outcome: KeyOutcome,
  json: boolean | undefined,
): void => {
  const screen = screenOf(deps.stdout, deps.env);
  if (json === true) print(jsonText(keyOutcomeJson(outcome)));
  else
    print(
      outcome.stale === undefined ? renderKeyOutcome(outcome, screen) : renderStale(outcome.stale, screen),
    );
  command.setOptionValue('exitCode', outcome.good ? 0 : 1);
};
