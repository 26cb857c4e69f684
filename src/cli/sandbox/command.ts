import { resolve } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { fault, messageOf, readText, systemCode, type Deps } from '../../core/index.ts';
import { catchMails } from './catch-mails.ts';
import { parseVariants, sandboxHelp, startSandbox } from '../../sandbox/index.ts';
import { port, sandboxPort, whole } from '../options.ts';

const collect = (pair: string, pairs: readonly string[]): readonly string[] => {
  if (!/^[a-z_]+=./.test(pair)) throw new InvalidArgumentError('it must have the form name=value');
  return [...pairs, pair];
};

/** Must be valid in an HTTP header. */
const adminKey = (text: string): string => {
  if (!/^[\x21-\x7e]{1,200}$/.test(text))
    throw new InvalidArgumentError('it must be 1 to 200 visible ASCII characters without spaces');
  return text;
};

type SandboxOptions = {
  readonly host: string;
  readonly port: number;
  readonly months: number;
  readonly callsPerDay: number;
  readonly seed: number;
  readonly variant: readonly string[];
  readonly hostile: string;
  readonly adminKey?: string;
  readonly adminKeyFile?: string;
  readonly mailDir?: string;
  readonly mailPort: number;
  readonly json?: boolean;
};

const keyIn = async (path: string, { cwd }: Deps): Promise<string> => {
  const file = resolve(cwd, path);
  try {
    return adminKey((await readText(file)).trim());
  } catch (error) {
    throw fault(
      'wrong-use',
      `${file} cannot be used as an Admin Key (${systemCode(error) ?? messageOf(error)})`,
      {
        cause: error,
        advice: '`tollkeeper init --sandbox` writes such a file',
      },
    );
  }
};

const variantsOf = (pairs: readonly string[]) => {
  try {
    return parseVariants(
      Object.fromEntries(
        pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
      ),
    );
  } catch (error) {
    throw fault('wrong-use', messageOf(error), {
      advice: '`tollkeeper sandbox --help` lists the variants',
      cause: error,
    });
  }
};

export const define = (command: Command, deps: Deps): void => {
  command
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 selects a free port', port, sandboxPort)
    .option('--months <number>', 'months of traffic before now', whole, 14)
    .option('--calls-per-day <number>', 'mean number of calls a day', whole, 450)
    .option('--seed <number>', 'seed of the generated account', whole, 1)
    .option('--variant <name=value>', 'a variant listed below; can be repeated', collect, [])
    .option('--hostile <name>', 'a hostile behaviour listed below, to test a client', 'none')
    .option('--admin-key <key>', 'Admin Key (default: random)', adminKey)
    .addOption(
      new Option('--admin-key-file <file>', 'read the Admin Key from this file').conflicts('adminKey'),
    )
    .option('--mail-dir <dir>', 'also run a mail server that writes each mail it receives to this folder')
    .option('--mail-port <number>', 'port of the mail server; 0 selects a free port', port, 0)
    .option('--json', 'print address and Admin Key as JSON')
    .addHelpText(
      'after',
      `
${sandboxHelp()}
Examples:
  tollkeeper sandbox
  tollkeeper sandbox --mail-dir out/mails            # and a mail server, for a first report by mail
  tollkeeper sandbox --admin-key sk-admin-local      # the same key after every restart
  tollkeeper sandbox --port 9000 --variant created_at=rfc3339 --variant update=keep`,
    )
    .action(async (options: SandboxOptions) => {
      const { host, port, months, callsPerDay, seed, adminKeyFile } = options;
      const given = adminKeyFile === undefined ? options.adminKey : await keyIn(adminKeyFile, deps);
      const adminKeys = given === undefined ? {} : { adminKeys: [{ key: given }] };
      const variants = variantsOf(options.variant);
      const now = (): number => deps.clock.now();
      const sandbox = await startSandbox({
        now,
        host,
        port,
        months,
        callsPerDay,
        seed,
        variants,
        hostile: options.hostile,
        ...adminKeys,
      }).catch((error: unknown) => {
        if (error instanceof RangeError)
          throw fault('wrong-use', error.message, {
            advice: '`tollkeeper sandbox --help` lists the behaviours',
            cause: error,
          });
        const code = systemCode(error);
        if (code === 'EADDRINUSE')
          throw fault('port-in-use', `port ${port} of ${host} is in use by another program`, {
            cause: error,
          });
        if (code === undefined || !/^E(ADDR|ACCES|NOTFOUND|AI_AGAIN)/.test(code)) throw error;
        throw fault('wrong-use', `port ${port} of ${host} cannot be listened on (${code})`, {
          cause: error,
          advice: 'use an address of this machine; ports below 1024 require privileges',
        });
      });
      try {
        await using mails =
          options.mailDir === undefined
            ? undefined
            : await catchMails(options.mailDir, options.mailPort, deps);
        // The Admin Key of a sandbox works only there, and the user needs to see it.
        const shown = {
          GATEWAY_BASE_URL: sandbox.baseUrl,
          GATEWAY_ADMIN_KEY: sandbox.adminKey,
          ...(mails === undefined ? {} : { SMTP_URL: mails.smtpUrl }),
        };
        deps.stdout.write(
          options.json === true
            ? `${JSON.stringify(shown)}\n`
            : `The sandbox gateway runs until you stop it with Ctrl-C.\n\n${Object.entries(shown)
                .map(([name, value]) => `export ${name}=${value}`)
                .join('\n')}\n`,
        );
        if (!deps.signal.aborted) {
          await new Promise((resolve) => deps.signal.addEventListener('abort', resolve, { once: true }));
        }
      } finally {
        await sandbox.stop();
      }
    });
};
