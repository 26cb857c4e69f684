import { Command, CommanderError } from 'commander';
import { describeError, isFault, withoutIsolates, type Deps, type OutputStream } from '../core/index.ts';
import { version } from '../version.ts';
import { commands, examples, type CommandEntry } from './commands.ts';
import { withNearName } from './near-commands.ts';
import { commandForm, safeOutput, withCommandForm } from './ui/output.ts';

/** The command to run or to show help for; no option of the program itself takes a value. */
const nameIn = (argv: readonly string[]): string | undefined => {
  const [first, second] = argv.filter((word) => !word.startsWith('-'));
  return first === 'help' ? second : first;
};

/** A placeholder for a command that is not loaded: arguments, and whether it has options. */
const standIn = (command: Command, { takes, hasOptions = true }: CommandEntry): void => {
  if (takes !== undefined) command.arguments(takes);
  if (hasOptions) command.option('--json');
};

/** Loads only the requested command, so that the program starts fast. */
const makeProgram = async (argv: readonly string[], deps: Deps): Promise<Command> => {
  const program = new Command('tollkeeper')
    .description('Scheduled spend reporting and API-key rotation for an LLM gateway account.')
    .version(version)
    .showHelpAfterError('(see --help for options)')
    .exitOverride()
    // In `outbox drop --json` the option belongs to `drop`, although `outbox` has it, too.
    .enablePositionalOptions()
    .configureOutput({ writeOut: deps.stdout.write, writeErr: deps.stderr.write })
    .addHelpText(
      'after',
      `
Exit codes: 0 success; 1 a check or job failed, or \`status\` requires action;
2 usage error or invalid configuration.

Examples:
${examples.map((line) => `  ${line}`).join('\n')}`,
    );
  const wanted = nameIn(argv);
  // The subcommands of all commands are candidates for what was meant.
  const isUnknown = wanted !== undefined && commands.every(({ name }) => name !== wanted);
  for (const entry of commands) {
    const command = program.command(entry.name).description(entry.summary);
    if (entry.name === wanted || isUnknown) (await entry.load()).define(command, deps);
    else standIn(command, entry);
  }
  return program;
};

/** Commander does not apply settings to commands that were created before. */
const inherit = (parent: Command): void => {
  for (const command of parent.commands) inherit(command.exitOverride().copyInheritedSettings(parent));
  parent.configureOutput({
    outputError: (text, write) => write(withNearName(text, parent)),
  });
};

/** Runs one command line (without the program's name). Resolves to the exit code; never throws. */
export const runProgram = async (words: readonly string[], given: Deps): Promise<number> => {
  const argv = words.map(withoutIsolates);
  const { invocation } = given;
  const form = invocation === undefined ? 'tollkeeper' : commandForm(invocation, given.cwd);
  const names = commands.map(({ name }) => name);
  const safe = (output: OutputStream): OutputStream => withCommandForm(safeOutput(output), form, names);
  const deps = { ...given, stdout: safe(given.stdout), stderr: safe(given.stderr) };
  let exitCode = 0;
  try {
    const program = await makeProgram(argv, deps);
    program.hook('postAction', (_, action) => {
      const code: unknown = action.getOptionValue('exitCode');
      if (typeof code === 'number') exitCode = code;
    });
    inherit(program);
    const [first, word] = argv;
    // Commander answers with the help of the program.
    if (first === 'help' && word?.startsWith('-') === false && !names.includes(word))
      program.error(`error: unknown command '${word}'`);
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    deps.stderr.write(`${deps.secrets.redact(`tollkeeper: ${describeError(error)}`)}\n`);
    return isFault(error) ? error.exitCode : 1;
  }
};
