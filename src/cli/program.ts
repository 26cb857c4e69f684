import { Command, CommanderError } from 'commander';
import { describeError, isFault } from '../core/index.ts';
import type { Deps } from '../core/index.ts';
import { version } from '../version.ts';
import { addCheck } from './check/command.ts';
import { addDemo } from './demo/command.ts';
import { addDoctor } from './doctor/command.ts';
import { addKeys } from './keys/command.ts';
import { addNext } from './next/command.ts';
import { addOutbox } from './outbox/command.ts';
import { addReconcile } from './reconcile/command.ts';
import { addReport } from './report/command.ts';
import { addReports } from './reports/command.ts';
import { addRun } from './run/command.ts';
import { addRuns } from './runs/command.ts';
import { addSandbox } from './sandbox/command.ts';
import { addServe } from './serve/command.ts';
import { addStatus } from './status/command.ts';

const makeProgram = (deps: Deps): Command => {
  const program = new Command('tollkeeper')
    .description('Scheduled spend reporting and API-key rotation for an LLM gateway account.')
    .version(version)
    .showHelpAfterError('(run with --help for the options)')
    .exitOverride()
    // `outbox drop --json` is said to drop, not to the outbox that has the option too.
    .enablePositionalOptions()
    .configureOutput({ writeOut: deps.stdout.write, writeErr: deps.stderr.write })
    .addHelpText(
      'after',
      `
Exit codes: 0 fine, 1 the check or job failed or status needs a person, 2 wrong use or a faulty config.

Examples:
  tollkeeper demo                              the whole product on throw-away data, no account needed
  tollkeeper check --config config             every fault of the config, then the next runs
  tollkeeper doctor                            tries gateway, scopes, mail server, disk and clock
  tollkeeper run pull-logs                     one run now
  tollkeeper status                            the daemon, last and next runs, what needs a person
  tollkeeper runs daily-spend                  how its last runs ended and why
  tollkeeper next --count 5                    the slots to come
  tollkeeper report spend-summary --period last-month --out out
  tollkeeper reports --job daily-spend          what was built, with its files
  tollkeeper reconcile --from 2026-11-01 --to 2026-12-01
  tollkeeper outbox --state failed,unknown     mails that need a person
  tollkeeper keys                              every API key, what needs attention first
  tollkeeper serve --config /config            the daemon`,
    );
  const commands = [
    addServe,
    addStatus,
    addRuns,
    addNext,
    addRun,
    addCheck,
    addDoctor,
    addReport,
    addReports,
    addReconcile,
    addOutbox,
    addKeys,
    addSandbox,
    addDemo,
  ];
  for (const add of commands) add(program, deps);
  return program;
};

/** Settings are not inherited by commands that were made before they were set. */
const inherit = (parent: Command): void => {
  for (const command of parent.commands) inherit(command.exitOverride().copyInheritedSettings(parent));
};

/** Runs one command line (without the program's own name). Resolves to the exit code; never throws. */
export const runProgram = async (argv: readonly string[], deps: Deps): Promise<number> => {
  let exitCode = 0;
  const program = makeProgram({ ...deps });
  program.hook('postAction', (_, action) => {
    const code: unknown = action.getOptionValue('exitCode');
    if (typeof code === 'number') exitCode = code;
  });
  try {
    inherit(program);
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    deps.stderr.write(`${deps.secrets.redact(`tollkeeper: ${describeError(error)}`)}\n`);
    return isFault(error) ? error.exitCode : 1;
  }
};
