import type { Command } from 'commander';
import { nearest } from '../core/index.ts';

/** The names of subcommands, with that of their command before them: `keys rotate`. */
const pathsBelow = (command: Command): readonly (readonly [name: string, path: string])[] =>
  command.commands.flatMap((one) =>
    one.commands.map((inner) => [inner.name(), `${one.name()} ${inner.name()}`] as const),
  );

const nearCommand = (word: string, command: Command): string | undefined => {
  const own = nearest(
    word,
    command.commands.map((one) => one.name()),
  );
  if (own !== undefined) return own;
  const below = pathsBelow(command);
  const near = nearest(
    word,
    below.map(([name]) => name),
  );
  return below.find(([name]) => name === near)?.[1];
};

/** The command that has subcommands and took a word for an argument: itself, or the one whose default it is. */
const holderOf = (command: Command): Command | undefined => {
  if (command.commands.length > 0) return command;
  const { parent } = command;
  return parent !== null && parent.args[0] !== command.name() ? parent : undefined;
};

/**
 * The text of an error of Commander, with the nearest command or option. Commander compares a word with the commands beside
 * it, and takes a misspelled subcommand for an argument.
 */
export const withNearName = (text: string, command: Command): string => {
  const named = /^error: unknown command '(?<word>[^']*)/u.exec(text)?.groups?.['word'];
  const word = named ?? command.args[0] ?? '';
  const unknown =
    named !== undefined
      ? command
      : text.startsWith('error: too many arguments ')
        ? holderOf(command)
        : undefined;
  const near = unknown === undefined ? undefined : nearCommand(word, unknown);
  if (near !== undefined) return `error: unknown command '${word}'. Did you mean ${near}?\n`;
  const option = /^error: unknown option '(?<name>--[^'=]+)/u.exec(text)?.groups?.['name'];
  if (option === undefined) return text;
  const options = command.createHelp().visibleOptions(command);
  const meant = nearest(
    option,
    options.flatMap(({ long }) => long ?? []),
  );
  return meant === undefined ? text : `error: unknown option '${option}'. Did you mean ${meant}?\n`;
};
