import { startSandbox, type Sandbox, type SandboxOptions } from '../../../src/sandbox/index.ts';
import { manualClock } from '../../support/manual-clock.ts';
import {
  defaultConfig,
  openFolder,
  type Folder,
  type ProgramOptions,
  type Ran,
} from '../../support/program.ts';

export type Fixture = AsyncDisposable & {
  readonly folder: Folder;
  readonly sandbox: Sandbox;
  readonly clock: ReturnType<typeof manualClock>;
  /** Plaintext of a key of the account, named `mine`. */
  readonly plaintext: string;
  readonly run: (argv: readonly string[], options?: ProgramOptions) => Promise<Ran>;
  /** `tollkeeper call …` with the key in the environment. */
  readonly call: (...argv: readonly string[]) => Promise<Ran>;
};

/** A folder with a config, and the sandbox gateway that it names, on one clock. */
export const openCallFixture = async (options: Partial<SandboxOptions> = {}): Promise<Fixture> => {
  const clock = manualClock();
  const sandbox = await startSandbox({ months: 1, callsPerDay: 1, now: clock.now, ...options });
  const { plaintext } = sandbox.state.keys.create({
    name: 'mine',
    group: 'default',
    remain: 0n,
    unlimited: true,
    expiredTime: -1,
    createdAt: sandbox.state.seconds(),
  });
  const folder = await openFolder();
  await defaultConfig(folder, '2026-11-19');
  const env = {
    GATEWAY_BASE_URL: sandbox.baseUrl,
    GATEWAY_ADMIN_KEY: sandbox.adminKey,
    SMTP_URL: 'smtp://127.0.0.1:1',
    API_KEY: plaintext,
  };
  const run: Fixture['run'] = (argv, more = {}) =>
    folder.run(argv, { clock, ...more, env: { ...env, ...more.env } });
  return {
    folder,
    sandbox,
    clock,
    plaintext,
    run,
    call: (...argv) => run(['call', ...argv, '--key-env', 'API_KEY']),
    [Symbol.asyncDispose]: async () => {
      await folder[Symbol.asyncDispose]();
      await sandbox.stop();
    },
  };
};
