import { startSandbox, type SandboxOptions } from '../../../src/sandbox/index.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { defaultConfig, openFolder, type ProgramOptions, type Ran } from '../../support/program.ts';

/** Variables of services that cannot be reached. */
export const unreachable = {
  GATEWAY_BASE_URL: 'http://127.0.0.1:1',
  GATEWAY_ADMIN_KEY: 'sk-admin-of-no-gateway',
  SMTP_URL: 'smtp://127.0.0.1:1',
};

type Options = Partial<Omit<SandboxOptions, 'now'>> & {
  readonly now?: number;
  /** In place of the usual files of the config. */
  readonly settings?: string;
  readonly jobs?: string;
  readonly since?: string;
  readonly env?: ProgramOptions['env'];
};

/** A folder with a config, and the sandbox gateway that it names, on one clock. */
export const openCliFixture = async ({
  now,
  settings,
  jobs,
  since,
  env: others,
  ...options
}: Options = {}) => {
  const clock = manualClock(now);
  const sandbox = await startSandbox({ months: 1, callsPerDay: 20, now: clock.now, ...options });
  const folder = await openFolder();
  await defaultConfig(folder, since);
  if (settings !== undefined) await folder.write('config/tollkeeper.yaml', settings);
  if (jobs !== undefined) await folder.write('config/jobs/spend.yaml', jobs);
  const { baseUrl, adminKey } = sandbox;
  const env = { ...unreachable, GATEWAY_BASE_URL: baseUrl, GATEWAY_ADMIN_KEY: adminKey, ...others };
  return {
    folder,
    sandbox,
    clock,
    run: (argv: readonly string[], more: ProgramOptions = {}): Promise<Ran> =>
      folder.run(argv, { clock, ...more, env: { ...env, ...more.env } }),
    [Symbol.asyncDispose]: async () => {
      await folder[Symbol.asyncDispose]();
      await sandbox.stop();
    },
  };
};

export type CliFixture = Awaited<ReturnType<typeof openCliFixture>>;

/** The same with a key of the account in the variable `API_KEY`. */
export const openCallFixture = async (options: Pick<Options, 'variants'> = {}) => {
  const fixture = await openCliFixture({ callsPerDay: 1, since: '2026-11-19', ...options });
  const { keys, seconds } = fixture.sandbox.state;
  const { plaintext } = keys.create({
    name: 'mine',
    group: 'default',
    remain: 0n,
    unlimited: true,
    expiredTime: -1,
    createdAt: seconds(),
  });
  const run = (argv: readonly string[], more: ProgramOptions = {}): Promise<Ran> =>
    fixture.run(argv, { ...more, env: { API_KEY: plaintext, ...more.env } });
  return {
    ...fixture,
    /** Of a key of the account, named `mine`. */
    plaintext,
    run,
    /** `tollkeeper call …` with the key in the environment. */
    call: (...argv: readonly string[]) => run(['call', ...argv, '--key-env', 'API_KEY']),
  };
};
