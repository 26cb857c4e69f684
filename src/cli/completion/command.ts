import { resolve } from 'node:path';
import { Argument, Command } from 'commander';
import type { Deps } from '../../core/index.ts';
import { candidatesFor } from './candidates.ts';
import { readNames } from './names.ts';
import { scripts, shells, type Shell } from './scripts.ts';

type Entry = {
  readonly name: string;
  readonly load: () => Promise<{ readonly define: (command: Command, deps: Deps) => void }>;
};

/** All commands by name, and with its options and arguments the one that the words name. */
const commandsFor = async (
  commands: readonly Entry[],
  words: readonly string[],
  deps: Deps,
): Promise<Command> => {
  const root = new Command();
  const named = words.slice(0, -1).find((word) => !word.startsWith('-'));
  for (const { name, load } of commands) {
    const command = root.command(name);
    if (name === named) (await load()).define(command, deps);
  }
  return root;
};

/** The folder that the command line names, else the usual one. */
const folderOf = (words: readonly string[], { cwd, env }: Deps): string => {
  const at = words.findIndex((word) => word === '-c' || word === '--config');
  const named = at === -1 ? undefined : words[at + 1];
  return resolve(cwd, named ?? env['TOLLKEEPER_CONFIG'] ?? 'config');
};

/** The command that completes the command line of all these. */
export const completionOf =
  (commands: readonly Entry[]) =>
  (command: Command, deps: Deps): void => {
    command
      .addArgument(new Argument('<shell>', 'shell to complete commands in').choices(shells))
      .addHelpText(
        'after',
        `
Completes commands, options, and the names of jobs, reports, budgets, services,
accounts and teams that the configuration declares.

Examples:
  source <(tollkeeper completion bash)              # in ~/.bashrc
  source <(tollkeeper completion zsh)               # in ~/.zshrc
  tollkeeper completion fish | source               # in ~/.config/fish/config.fish`,
      )
      .action((shell: Shell) => deps.stdout.write(scripts[shell]));
    command
      .command('complete [words...]', { hidden: true })
      .description('Print what can stand in place of the last word, one candidate a line.')
      .action(async (words: readonly string[]) => {
        const found = candidatesFor(
          await commandsFor(commands, words, deps),
          words,
          await readNames(folderOf(words, deps)),
        );
        deps.stdout.write(found.map((one) => `${one}\n`).join(''));
      });
  };
