import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import type { Clock } from '../../../src/core/index.ts';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../src/sandbox/index.ts';
import { openHoldingGateway, type HoldingGateway } from '../../program/support/holding-gateway.ts';
import { manualClock, type ManualClock } from '../../support/manual-clock.ts';
import { openMailServer, type MailServer, type TakenMail } from '../../support/mail-server.ts';
import { openFolder, type Folder, type Ran } from '../../support/program.ts';

export type Line = Readonly<Record<string, unknown>>;

/** `serve`, run in this process on a clock that stands still until it is moved. */
export type Daemon = {
  readonly lines: () => readonly Line[];
  /** Resolves with the first (or nth, from 1) line that has these fields; rejects when the daemon ends before. */
  readonly line: (fields: Line, nth?: number) => Promise<Line>;
  /** Resolves when everything that is due by the clock is claimed and begun. */
  readonly settled: () => Promise<void>;
  readonly stop: () => Promise<Ran>;
};

export type Town = AsyncDisposable & {
  readonly folder: Folder;
  readonly clock: ManualClock;
  readonly sandbox: Sandbox;
  readonly gateway: HoldingGateway;
  readonly mail: MailServer;
  readonly jobs: (...jobs: readonly string[]) => Promise<string>;
  /** Changes the settings. */
  readonly configure: (change: (settings: string) => string) => Promise<string>;
  readonly run: (...argv: readonly string[]) => Promise<Ran>;
  readonly serve: () => Promise<Daemon>;
  /** Moves the clock to where the outbox is looked at, until so many mails have come in all. */
  readonly mails: (daemon: Daemon, count: number) => Promise<readonly TakenMail[]>;
};

const has = (line: Line, fields: Line): boolean =>
  Object.entries(fields).every(([name, value]) => line[name] === value);

export const openTown = async (
  start: string,
  {
    env: more = {},
    clockFrom = (manual) => manual,
    ...options
  }: Pick<SandboxOptions, 'variants'> & {
    env?: Record<string, string>;
    /** The clock of the program, if not the manual one. */
    clockFrom?: (manual: ManualClock) => Clock;
  } = {},
): Promise<Town> => {
  const clock = manualClock(Date.parse(start));
  const programClock = clockFrom(clock);
  const [folder, mail, sandbox] = await Promise.all([
    openFolder(),
    openMailServer(),
    startSandbox({ now: () => clock.now(), months: 1, callsPerDay: 30, ...options }),
  ]);
  const gateway = await openHoldingGateway(sandbox.baseUrl);
  const env = {
    GATEWAY_BASE_URL: gateway.baseUrl,
    GATEWAY_ADMIN_KEY: sandbox.adminKey,
    SMTP_URL: mail.url,
    ...more,
  };
  const settings = await folder.write(
    'config/tollkeeper.yaml',
    `timezone: UTC
accounts:
  main: { base_url: "\${GATEWAY_BASE_URL}", admin_key: "\${GATEWAY_ADMIN_KEY}" }
warehouse: { memory_limit: 512MB, threads: 1 }
mail:
  smtp: "\${SMTP_URL}"
  from: "Tollkeeper <reports@example.com>"
  operators: [ops@example.com]
  tls: { ca: ${mail.ca} }
health: { host: 127.0.0.1, port: 0 }
status: { port: 0 }
`,
  );
  const stops = new Set<() => Promise<Ran>>();
  const run = (...argv: readonly string[]): Promise<Ran> => folder.run(argv, { env, clock: programClock });

  const serve = async (): Promise<Daemon> => {
    const stopping = new AbortController();
    const lines: Line[] = [];
    const waiting = new Set<() => void>();
    let [rest, isOver] = ['', false];
    const notify = (): void => {
      for (const check of waiting) check();
    };
    const ended = folder
      .run(['serve'], {
        env,
        clock: programClock,
        signal: stopping.signal,
        onOutput: (text) => {
          const parts = `${rest}${text}`.split('\n');
          rest = parts.pop() ?? '';
          lines.push(...parts.map((part) => JSON.parse(part) as Line));
          notify();
        },
      })
      .finally(() => {
        isOver = true;
        notify();
      });
    const stop = (): Promise<Ran> => {
      stopping.abort(new Error('stopped by the test'));
      stops.delete(stop);
      return ended;
    };
    stops.add(stop);
    const line: Daemon['line'] = (fields, nth = 1) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          const found = lines.filter((one) => has(one, fields))[nth - 1];
          if (found === undefined && !isOver) return;
          waiting.delete(check);
          if (found !== undefined) resolve(found);
          else
            void ended.then(({ stderr }) =>
              reject(new Error(`it ended without ${JSON.stringify(fields)}: ${stderr}`)),
            );
        };
        waiting.add(check);
        check();
      });
    await line({ message: 'serving' });
    return {
      lines: () => lines,
      line,
      settled: async () => {
        // An order is carried out between two passes: after the second one, a whole pass lies behind the first.
        for (const _ of [1, 2]) expect((await run('run', 'done', '--slot', '2026-11-19')).code).toBe(0);
      },
      stop,
    };
  };

  return {
    folder,
    clock,
    sandbox,
    gateway,
    mail,
    jobs: async (...jobs) => {
      const done = 'done: { kind: pull-usage, since: 2026-11-19, notify: [] }';
      const file = await folder.write(
        'config/jobs/jobs.yaml',
        `jobs:\n${[done, ...jobs].map((job) => `  ${job}\n`).join('')}`,
      );
      return file;
    },
    configure: async (change) =>
      folder.write('config/tollkeeper.yaml', change(await readFile(settings, 'utf8'))),
    run,
    serve,
    mails: async (daemon, count) => {
      // What is to be told is enqueued by then.
      await daemon.settled();
      clock.advance(6_000);
      await daemon.line({ message: 'mail sent' }, count);
      return mail.taken;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...stops].map((stop) => stop()));
      await gateway[Symbol.asyncDispose]();
      await sandbox.stop();
      await mail[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
};
