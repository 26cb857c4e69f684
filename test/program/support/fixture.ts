import { systemClock } from '../../../src/core/index.ts';
import { startSandbox, type Sandbox } from '../../../src/sandbox/index.ts';
import { openMailServer, type MailServer } from '../../support/mail-server.ts';
import { openFolder, type Folder, type Ran } from '../../support/program.ts';
import type { BuiltProgram, Running } from './built-program.ts';
import { openHoldingGateway, type HoldingGateway } from './holding-gateway.ts';

export type Line = Readonly<Record<string, unknown>>;
export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** A run as `runs --json` and `run --json` tell it. */
export type RunJson = {
  readonly job: string;
  readonly slot: string;
  readonly trigger: string;
  readonly state: string;
  readonly code?: string;
  readonly reason?: string;
  readonly attempts: readonly { readonly state: string; readonly code?: string }[];
};

/** The built program in a folder of its own, with a gateway and a mail server that are there for it alone. */
export type Fixture = AsyncDisposable & {
  readonly folder: Folder;
  /** Of commands and daemons that start later. */
  readonly env: Record<string, string>;
  readonly sandbox: Sandbox;
  /** What the program takes for the gateway. */
  readonly gateway: HoldingGateway;
  readonly mail: MailServer;
  /** tollkeeper.yaml: the usual, and lines more. */
  readonly settings: (more?: string, memoryLimit?: string) => Promise<string>;
  /** The one file of jobs. */
  readonly jobs: (...jobs: readonly string[]) => Promise<string>;
  readonly start: (...argv: readonly string[]) => Running;
  /** A daemon that serves. */
  readonly serve: (...argv: readonly string[]) => Promise<Running>;
  /** One command to its end. */
  readonly command: (...argv: readonly string[]) => Promise<Ended>;
  /** The same in this process: many at once cost less so. */
  readonly here: (...argv: readonly string[]) => Promise<Ran>;
  readonly runs: (job: string) => Promise<readonly RunJson[]>;
};

const day = 86_400_000;
export const dateBefore = (days: number): string =>
  new Date(Date.now() - days * day).toISOString().slice(0, 10);

export const parsed = (line: string): Line => JSON.parse(line) as Line;

/** The lines of a log that say this. */
export const saying = (running: Running, message: string): readonly Line[] =>
  running
    .stdout()
    .map(parsed)
    .filter((line) => line['message'] === message);

/** A zone in which the day is half over: at midnight yesterday is not pulled yet, and its report waits. */
export const zoneAtNoon = (): string => {
  const ahead = 12 - new Date().getUTCHours();
  // The names of POSIX count the hours west of Greenwich.
  return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
};

/** Fires once a year, at a time that no test runs into. */
export const yearly = (): string => `0 0 1 ${((new Date().getUTCMonth() + 6) % 12) + 1} *`;

export const openFixture = async (
  program: BuiltProgram,
  traffic: { readonly months: number; readonly callsPerDay: number } = { months: 1, callsPerDay: 40 },
): Promise<Fixture> => {
  const [folder, mail, sandbox] = await Promise.all([
    openFolder(),
    openMailServer(),
    startSandbox({ now: Date.now, ...traffic }),
  ]);
  const gateway = await openHoldingGateway(sandbox.baseUrl);
  const started: Running[] = [];
  const env: Record<string, string> = {
    GATEWAY_BASE_URL: gateway.baseUrl,
    GATEWAY_ADMIN_KEY: sandbox.adminKey,
    SMTP_URL: mail.url,
    TZ: 'UTC',
  };
  const start = (...argv: readonly string[]): Running => {
    const running = program.start(argv, { cwd: folder.path, env });
    started.push(running);
    return running;
  };
  const command = async (...argv: readonly string[]): Promise<Ended> => {
    const running = start(...argv);
    const { code } = await running.ended;
    const stdout = running.stdout().map((line) => `${line}\n`);
    return { code, stdout: stdout.join(''), stderr: running.stderr() };
  };
  const here = (...argv: readonly string[]): Promise<Ran> => folder.run(argv, { clock: systemClock, env });
  const fixture: Fixture = {
    folder,
    env,
    sandbox,
    gateway,
    mail,
    settings: (more = '', memoryLimit = '512MB') =>
      folder.write(
        'config/tollkeeper.yaml',
        `accounts:
  main: { base_url: "\${GATEWAY_BASE_URL}", admin_key: "\${GATEWAY_ADMIN_KEY}" }
warehouse: { memory_limit: ${memoryLimit}, threads: 1 }
mail:
  smtp: "\${SMTP_URL}"
  from: "Tollkeeper <reports@example.com>"
  operators: [ops@example.com]
  tls: { ca: ${mail.ca} }
${more.includes('status:') ? '' : 'status: { port: 0 }\n'}${more.includes('health:') ? '' : 'health: { host: 127.0.0.1, port: 0 }\n'}${more}
`,
      ),
    jobs: (...jobs) =>
      folder.write('config/jobs/jobs.yaml', `jobs:\n${jobs.map((job) => `  ${job}\n`).join('')}`),
    start,
    serve: async (...argv) => {
      const daemon = start('serve', ...argv);
      await daemon.line('"serving"');
      return daemon;
    },
    command,
    here,
    runs: async (job) => {
      const reported = await here('runs', job, '--limit', '200', '--json');
      if (reported.code !== 0) throw new Error(reported.stderr);
      return JSON.parse(reported.stdout) as RunJson[];
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(started.map((running) => running[Symbol.asyncDispose]()));
      await gateway[Symbol.asyncDispose]();
      await sandbox.stop();
      await mail[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
  await fixture.settings();
  return fixture;
};

export const pullLogs = (more: string): string =>
  `pull-logs: { kind: pull-logs, since: ${dateBefore(20)}, ${more} }`;
