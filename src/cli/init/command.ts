import { randomBytes } from 'node:crypto';
import { join, relative, resolve } from 'node:path';
import { Command } from 'commander';
import { countText, fault, shellWord, type Deps, type Streams } from '../../core/index.ts';
import { checkConfig } from '../../settings.ts';
import { faultLines } from '../check/render.ts';
import {
  answerAdvice,
  answerProblem,
  defaultAnswer,
  questionNames,
  questions,
  sandboxMailPort,
  type InitAnswers,
  type Question,
} from './answers.ts';
import { initFiles } from './files.ts';
import { askQuestions, confirm } from './prompts.ts';
import { writeNew } from './write-new.ts';

type InitOptions = Partial<InitAnswers> & {
  readonly sandbox?: boolean;
  readonly image: string;
  readonly yes?: boolean;
};

/** What the written configuration refers to, with a value of the right form for the check. */
const references: Readonly<Record<string, string>> = {
  GATEWAY_ADMIN_KEY: 'sk-admin-not-set',
  SMTP_URL: 'smtp://127.0.0.1:25',
};

const cancelled = (): Error =>
  fault('aborted', 'init was cancelled; nothing was written', {
    advice: 'run it again, or answer with flags',
  });

/** The flags that were given, each checked. */
const givenAnswers = (options: InitOptions): Partial<InitAnswers> => {
  const given: Partial<Record<Question, string>> = {};
  for (const question of questionNames) {
    const answer = options[question];
    if (answer === undefined) continue;
    const problem = answerProblem(question, answer);
    if (problem !== undefined)
      throw fault('wrong-use', `${questions[question].flag} ${problem}: ${JSON.stringify(answer)}`, {
        advice: answerAdvice(question, answer) ?? '`tollkeeper init --help` shows examples',
      });
    given[question] = answer;
  }
  return given;
};

const answersOf = async (options: InitOptions, { clock, prompts }: Deps): Promise<InitAnswers> => {
  const isSandbox = options.sandbox === true;
  const host = {
    now: clock.now(),
    zone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
    isSandbox,
  };
  const usual = (question: Question, known: Partial<InitAnswers>) => defaultAnswer(question, known, host);
  const given = givenAnswers(options);
  const answers: Partial<Record<Question, string>> = { ...given };
  for (const question of questionNames) {
    const answer = answers[question] ?? usual(question, answers);
    if (answer !== undefined) answers[question] = answer;
  }
  const open = questionNames.filter((question) => answers[question] === undefined);
  const isComplete = open.length === 0;
  if (isComplete && (options.yes === true || isSandbox || prompts === undefined))
    return answers as InitAnswers;
  if (options.yes === true || prompts === undefined)
    throw fault(
      'wrong-use',
      `${open.map((question) => questions[question].flag).join(' and ')} must be given where init cannot ask on a terminal`,
      {
        advice:
          'add them, for example `tollkeeper init --gateway https://gateway.example.com --mail-to finance@example.com`, or use `tollkeeper init --sandbox` for a trial',
      },
    );
  const asked = await askQuestions(given, usual, prompts);
  if (asked === undefined) throw cancelled();
  return asked;
};

/** Runs another command in the new folder, and prints its error. Returns whether it succeeded. */
const runIn = async (
  load: Promise<{ readonly define: (command: Command, deps: Deps) => void }>,
  argv: readonly string[],
  deps: Deps,
): Promise<boolean> => {
  const command = new Command().exitOverride();
  (await load).define(command, deps);
  await command.parseAsync([...argv], { from: 'user' });
  const code: unknown = command.getOptionValue('exitCode');
  return code === undefined || code === 0;
};

const step = (text: string): string => `  ${text}\n`;

/** Command lines that lead to a first mail. `unset`: variables that the configuration refers to. */
const nextSteps = (unset: readonly string[], isSandbox: boolean): readonly string[] => [
  ...(isSandbox
    ? [
        `tollkeeper sandbox --admin-key-file secrets/gateway-admin-key --mail-dir mails --mail-port ${sandboxMailPort} &`,
      ]
    : [
        ...(unset.length === 0
          ? []
          : ['cp .env.example .env', `set ${unset.join(' and ')} in .env, then: set -a; . ./.env; set +a`]),
        'tollkeeper doctor',
      ]),
  'tollkeeper run daily-spend',
  'tollkeeper serve',
];

/** Checks the services and mails a first report, each if the person wants it. */
const offerFirstRun = async (mailTo: string, prompts: Streams, deps: Deps): Promise<void> => {
  const config = ['--config', join(deps.cwd, 'config')];
  if ((await confirm('Check gateway, mail server and disk now?', prompts)) !== true) return;
  if (!(await runIn(import('../doctor/command.ts'), config, deps))) return;
  if ((await confirm(`Pull the call log and mail a first report to ${mailTo}?`, prompts)) !== true) return;
  await runIn(import('../run/command.ts'), ['daily-spend', ...config], deps);
};

export const define = (command: Command, deps: Deps): void => {
  command
    .argument('[folder]', 'folder to write to, created if needed', '.')
    .option(
      '--sandbox',
      'for a trial without an account: use `tollkeeper sandbox` as gateway and mail server',
    )
    .option('--gateway <url>', 'base URL of the gateway')
    .option('--mail-to <address>', 'recipient of reports and notices')
    .option('--mail-from <address>', 'sender of the mails (default: reports@ the domain of the recipient)')
    .option('--zone <zone>', 'time zone of days and schedules (default: that of this machine)')
    .option('--since <date>', 'first day to pull (default: the first of the month two months ago)')
    .option('--image <name>', 'container image in compose.yaml', 'tollkeeper')
    .option('-y, --yes', 'ask nothing; use the defaults for what is not given')
    .addHelpText(
      'after',
      `
Writes config/, .env.example, .gitignore and compose.yaml, and validates the
configuration. Overwrites nothing: if one of the files exists, nothing is written.

Examples:
  tollkeeper init                                   # asks
  tollkeeper init --sandbox                         # a trial without an account
  tollkeeper init spend --gateway https://gateway.example.com --mail-to finance@example.com`,
    )
    .action(async (directory: string, options: InitOptions) => {
      const folder = resolve(deps.cwd, directory);
      const answers = await answersOf(options, deps);
      const keyFile = join(folder, 'secrets', 'gateway-admin-key');
      const adminKey = `sk-admin-${randomBytes(18).toString('base64url')}`;
      deps.secrets.register(adminKey);
      const sandbox = options.sandbox === true ? { adminKey, keyFile, mailPort: sandboxMailPort } : undefined;
      const files = await initFiles({ answers, image: options.image, sandbox });
      if (deps.signal.aborted) throw cancelled();
      await writeNew(folder, files);
      for (const { path } of files) deps.stdout.write(step(relative(deps.cwd, join(folder, path))));

      const isSandbox = sandbox !== undefined;
      const unset = isSandbox ? [] : Object.keys(references).filter((name) => !deps.env[name]);
      const own = { ...deps, cwd: folder };
      const placeholders = Object.fromEntries(unset.map((name) => [name, references[name]]));
      const { faults } = await checkConfig(join(folder, 'config'), {
        ...own,
        env: { ...deps.env, ...placeholders },
      });
      command.setOptionValue('exitCode', faults.length === 0 ? 0 : 1);
      if (faults.length > 0) {
        deps.stdout.write(`\n${faultLines(faults)}\n\n${countText(faults.length, 'fault')}\n`);
        return;
      }
      deps.stdout.write('\nThe configuration is valid.\n');
      if (deps.prompts !== undefined && options.yes !== true && !isSandbox && unset.length === 0)
        await offerFirstRun(answers.mailTo, deps.prompts, own);
      const enter = folder === deps.cwd ? [] : [`cd ${shellWord(relative(deps.cwd, folder))}`];
      const next = [...enter, ...nextSteps(unset, isSandbox)];
      deps.stdout.write(`\nNext:\n${next.map(step).join('')}`);
    });
};
