import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../src/sandbox/index.ts';
import { openMailServer, type MailServer } from '../../support/mail-server.ts';
import { manualClock, type ManualClock } from '../../support/manual-clock.ts';
import { openFolder, type Folder, type Ran } from '../../support/program.ts';
import { exemptFile } from '../../support/secret-watch.ts';

const hour = 3_600_000;
const began = Date.UTC(2026, 10, 21, 6, 3, 7);

/** One service, its sink and its gateway, with the whole program in this process and hours that take no time. */
export type RotationFixture = AsyncDisposable & {
  readonly folder: Folder;
  /** What the configuration refers to. */
  readonly env: Readonly<Record<string, string>>;
  readonly sandbox: Sandbox;
  readonly mail: MailServer;
  readonly clock: ManualClock;
  /** One command line, its log and mails included. */
  readonly run: (...argv: readonly string[]) => Promise<Ran>;
  /** Hours pass, an application calls with what the sink holds, the log is pulled, and the job runs. */
  readonly later: (hours: number) => Promise<Ran>;
  /** What a terminal of so many columns shows, without its colors. */
  readonly onTerminal: (columns: number, ...argv: readonly string[]) => Promise<string>;
  /** What the sink holds. */
  readonly deliveredKey: () => Promise<string>;
  /** HTTP status of a call with a key. */
  readonly call: (key: string) => Promise<number>;
  /** Names of the keys of the service, oldest first. */
  readonly names: () => readonly string[];
  /** The key of before. */
  readonly old: { readonly id: number; readonly key: string };
};

export type RotationOptions = {
  readonly sandbox?: Partial<Omit<SandboxOptions, 'now'>>;
  /** Lines of the job in the place of the usual ones. */
  readonly job?: Readonly<Record<string, string>>;
  readonly limited?: boolean;
  /** Of pull-logs; hourly unless given. */
  readonly pulls?: string;
  /** Milliseconds that the gateway's clock is ahead. */
  readonly gatewayShift?: () => number;
  /** YAML of further jobs, each indented by two. */
  readonly jobs?: string;
};

const usual: Readonly<Record<string, string>> = {
  keys: '{ name: "app*" }',
  every: '30d',
  overlap: '1h',
  mode: 'apply',
  deliver: '[{ file: { path: "secrets/{service}.env", variable: KEY } }]',
  verify: '{ embeddings: { model: text-embedding-3-small } }',
  retire: '{ when: unused, quiet: 2h, then: delete, max_overlap: 14d }',
};

export const openRotationFixture = async (options: RotationOptions = {}): Promise<RotationFixture> => {
  const clock = manualClock(began);
  const [folder, mail, sandbox] = await Promise.all([
    openFolder(),
    openMailServer(),
    startSandbox({
      now: () => clock.now() + (options.gatewayShift?.() ?? 0),
      months: 1,
      callsPerDay: 1,
      ...options.sandbox,
      variants: { late_rows: 'absent', ...options.sandbox?.variants },
    }),
  ]);
  const env = { GATEWAY_BASE_URL: sandbox.baseUrl, GATEWAY_ADMIN_KEY: sandbox.adminKey, SMTP_URL: mail.url };
  await folder.write(
    'config/tollkeeper.yaml',
    `accounts:
  main: { base_url: "\${GATEWAY_BASE_URL}", admin_key: "\${GATEWAY_ADMIN_KEY}" }
warehouse: { memory_limit: 512MB }
scheduler: { suspend_after: 0 }
mail:
  smtp: "\${SMTP_URL}"
  from: "Tollkeeper <reports@example.com>"
  operators: [ops@example.com]
  tls: { ca: ${mail.ca} }
`,
  );
  const lines = Object.entries({ ...usual, ...options.job }).map(
    ([name, value]) => `    ${name}: ${value}\n`,
  );
  await folder.write(
    'config/jobs/jobs.yaml',
    `jobs:
  pull-logs: { kind: pull-logs, schedule: "${options.pulls ?? '7 * * * *'}", since: 2026-11-20 }
  rotate-app:
    kind: rotate-keys
    name: "{service}.g{generation}"
    schedule: "0 3 * * 1"
${lines.join('')}${options.jobs ?? ''}`,
  );
  // The old key is made by one who may write, whoever rotates it.
  const { key, plaintext } = sandbox.state.keys.create({
    name: 'app',
    group: 'default',
    unlimited: options.limited !== true,
    remain: options.limited === true ? 50_000_000n : 0n,
    expiredTime: -1,
    createdAt: sandbox.state.seconds(),
  });
  const old = { id: key.id, key: `sk-${plaintext}` };
  const sink = join(folder.path, 'secrets/app.env');
  await mkdir(join(folder.path, 'secrets'));
  await folder.write('secrets/app.env', `OTHER=kept\nKEY=${old.key}\n`);
  exemptFile(sink);
  clock.advance(31 * 24 * hour);

  const run = (...argv: readonly string[]): Promise<Ran> => folder.run(argv, { env, clock });
  const deliveredKey = async (): Promise<string> =>
    /^KEY=(.*)$/m.exec(await readFile(sink, 'utf8'))?.[1] ?? '';
  const call = async (with_: string): Promise<number> => {
    const { status } = await fetch(`${sandbox.baseUrl}/v1/embeddings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${with_}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'text-embedding-3-small', input: 'x', dimensions: 1 }),
    });
    return status;
  };
  return {
    folder,
    env,
    sandbox,
    mail,
    clock,
    run,
    onTerminal: async (terminal, ...argv) => {
      const { stdout } = await folder.run(argv, { env: { ...env, NO_COLOR: '1' }, clock, terminal });
      return stdout;
    },
    deliveredKey,
    call,
    old,
    names: () => sandbox.state.keys.all().flatMap(({ name }) => (/^app(\.|$)/.test(name) ? [name] : [])),
    later: async (hours) => {
      for (let hourly = 0; hourly < hours; hourly += 1) {
        clock.advance(hour);
        expect(await call(await deliveredKey())).toBe(200);
      }
      clock.advance(10_000);
      const pulled = await run('run', 'pull-logs');
      expect([pulled.code, pulled.code === 0 ? '' : pulled.stderr]).toEqual([0, '']);
      return run('run', 'rotate-app');
    },
    [Symbol.asyncDispose]: async () => {
      await sandbox.stop();
      await mail[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
};
