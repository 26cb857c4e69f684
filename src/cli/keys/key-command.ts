import { Option, type Command } from 'commander';
import { inputTexts, type CommandAnswer, type CommandInput } from '../../app/index.ts';
import { configOption } from '../options.ts';
import { agreed, agreedForGood, request, type KeysDeps, type Shown } from './deps.ts';

type KeyCommandName =
  `keys/${'rotate' | 'expire' | 'create' | 'adopt' | 'confirm' | 'resume' | 'give-up' | 'reconcile'}`;

/** Values of arguments and options, by name. */
type Given = Readonly<Record<string, string | boolean | undefined>>;

type KeyOption = {
  readonly flags: string;
  /** The help text of an option that is not an input of the command. */
  readonly text?: string;
  readonly parse?: (text: string) => unknown;
  readonly isMandatory?: boolean;
};

type Question = { readonly text: string; readonly isForGood?: boolean };

type KeyCommand<Name extends KeyCommandName> = {
  readonly description: string;
  readonly args: readonly string[];
  readonly options?: readonly (string | KeyOption)[];
  readonly help: string;
  /** Inputs that differ from what was given. @throws Fault `wrong-use` */
  readonly inputs?: (given: Given) => Partial<CommandInput<Name>>;
  /** The question that a person must confirm first. */
  readonly question?: (input: CommandInput<Name>) => Question | undefined;
  readonly show: (
    part: KeysDeps,
    shown: Shown<CommandAnswer<Name>> & { readonly input: CommandInput<Name> },
  ) => void;
};

/** A command that writes: its arguments and options are inputs of the command of the table, whose texts the help shows. */
export const addKeyCommand = <Name extends KeyCommandName>(
  keys: Command,
  part: KeysDeps,
  name: Name,
  { description, args, options = [], help, inputs, question, show }: KeyCommand<Name>,
): void => {
  const texts: Readonly<Record<string, string>> = inputTexts(name);
  const command = keys
    .command(name.replace('keys/', ''))
    .description(description)
    .addOption(configOption())
    .option('-a, --account <name>', texts['account'])
    .option('--json', 'print the outcome as JSON, times in UTC')
    .addHelpText('after', `\n${help}`);
  for (const arg of args) command.argument(arg, texts[arg.slice(1, -1)]);
  for (const one of options) {
    const { flags, text, parse, isMandatory = false } = typeof one === 'string' ? { flags: one } : one;
    const option = new Option(flags).makeOptionMandatory(isMandatory);
    if (parse !== undefined) option.argParser(parse);
    option.description = text ?? texts[option.attributeName()] ?? '';
    command.addOption(option);
  }
  command.action(async () => {
    const { config, yes, json } = command.opts<{ config: string; yes?: boolean; json?: boolean }>();
    const named = command.registeredArguments.map((arg, index) => [arg.name(), command.processedArgs[index]]);
    const given: Given = { ...Object.fromEntries(named), ...command.opts() };
    const own = Object.entries(given).filter(([field, value]) => value !== undefined && field in texts);
    // The table checks what was given when the command is called.
    const input = {
      ...Object.fromEntries(own),
      who: part.person(),
      ...inputs?.(given),
    } as CommandInput<Name>;
    const asked = question?.(input);
    if (asked !== undefined)
      await (asked.isForGood === true ? agreedForGood : agreed)(part.ask, yes, asked.text);
    const { answer, fromDaemon } = await request(part, config, name, input);
    show(part, { input, answer, fromDaemon, json, exit: (code) => command.setOptionValue('exitCode', code) });
  });
};
