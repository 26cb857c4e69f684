import type { Argument, Command, Option } from 'commander';
import { nameKinds, type NameKind, type Names } from './names.ts';

/** How arguments and options call the names that the configuration declares. */
const kindOf = (name: string): NameKind | undefined =>
  nameKinds.find((kind) => kind === name) ?? (name === 'key' ? 'service' : undefined);

const valuesOf = (one: Option | Argument, name: string, names: Names): readonly string[] => {
  if (one.argChoices !== undefined) return one.argChoices;
  const kind = kindOf(name);
  return kind === undefined ? [] : names[kind];
};

const takesValue = ({ required, optional }: Option): boolean => required || optional;

const optionNamed = (command: Command, word: string): Option | undefined =>
  command.options.find(({ long, short }) => word === long || word === short);

/**
 * What can stand in place of the last word, which may be empty or begun. `words`: those of the command line after the command
 * itself. Nothing where the shell should offer files.
 */
export const candidatesFor = (root: Command, words: readonly string[], names: Names): readonly string[] => {
  const before = words.slice(0, -1);
  const begun = words.at(-1) ?? '';
  let command = root;
  let position = 0;
  let awaited: Option | undefined;
  for (const word of before) {
    if (awaited !== undefined) {
      awaited = undefined;
      continue;
    }
    if (word.startsWith('-')) {
      const option = optionNamed(command, word);
      if (option !== undefined && takesValue(option)) awaited = option;
      continue;
    }
    const sub = position === 0 ? command.commands.find((one) => one.name() === word) : undefined;
    if (sub === undefined) position += 1;
    else command = sub;
  }
  const fits = (all: readonly string[]): readonly string[] =>
    [...new Set(all)].filter((one) => one.startsWith(begun)).toSorted();
  if (awaited !== undefined) return fits(valuesOf(awaited, awaited.attributeName(), names));
  if (begun.startsWith('-')) return fits(command.options.flatMap(({ long }) => long ?? []));
  const args = command.registeredArguments;
  const last = args.at(-1);
  const argument = args[position] ?? (last?.variadic === true ? last : undefined);
  // `report <name>` is the one argument that is called after its command.
  const called = argument?.name() === 'name' ? command.name() : (argument?.name() ?? '');
  return fits([
    ...(position === 0 ? command.commands.map((one) => one.name()) : []),
    ...(argument === undefined ? [] : valuesOf(argument, called, names)),
  ]);
};
