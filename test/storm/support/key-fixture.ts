import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { startSandbox, type Sandbox } from '../../../src/sandbox/index.ts';
import type { BuiltProgram, Running } from '../../program/support/built-program.ts';
import { startConsumer, type Consumer, type Source } from '../../support/consumer.ts';
import { openMailServer, type MailServer } from '../../support/mail-server.ts';
import { openFolder, type Folder } from '../../support/program.ts';
import { exemptFile } from '../../support/secret-watch.ts';
import type { KeyScenario } from './key-variants.ts';

const preload = new URL('preload.mjs', import.meta.url).href;

const services = ['app-one', 'app-two'] as const;
const hour = 3_600_000;
/** Orphans of one service that are kept until it is known that nobody uses them. */
const maxRetained = 3;
export const day = 24 * hour;

/** How one process of the program is ended, if it is. */
export type Kill =
  | { readonly kind: 'none' }
  /** At the first boundary of a step that no other was ended at. */
  | { readonly kind: 'boundary'; readonly which: RegExp }
  /** Not ended: it stops at each such boundary once, and goes on when this has been done. */
  | {
      readonly kind: 'stop';
      readonly which: RegExp;
      readonly meanwhile: (boundary: string) => Promise<void>;
    }
  /** So many milliseconds after it was spawned. */
  | { readonly kind: 'moment'; readonly after: number };

export type Lived = {
  readonly killed: boolean;
  readonly code: number | null;
  /** Milliseconds. */
  readonly took: number;
  /** Whether a step was written down in it. */
  readonly stepped: boolean;
  readonly output: string;
};

/** An account with two services, whose keys are in two sinks each, and an application that never stops calling. */
export type KeyFixture = AsyncDisposable & {
  readonly folder: Folder;
  readonly sandbox: Sandbox;
  readonly mail: MailServer;
  readonly consumer: Consumer;
  /** A process of the built program by the clock of the fixture. */
  readonly start: (argv: readonly string[]) => Running;
  /** One process of the built program, from its start to its end. */
  readonly live: (argv: readonly string[], killPlan?: Kill) => Promise<Lived>;
  /** Moves the clocks of gateway and program on. */
  readonly elapse: (millis: number) => void;
  /** What is wrong at this moment; empty when all is as guaranteed. */
  readonly wrongs: () => Promise<readonly string[]>;
  /** What is not as it has to be when nothing is left to do. */
  readonly unfinished: () => Promise<readonly string[]>;
  /** From here on all keys are to be others; the faults of the scenario strike once more. */
  readonly begin: () => Promise<void>;
  /** Boundaries that a process was ended at, in their order. */
  readonly killedBoundaries: () => Promise<readonly string[]>;
  readonly forgetKilledBoundaries: () => Promise<void>;
};

const config = (ca: string, since: string, database: string | undefined) => ({
  settings: `${database === undefined ? '' : 'database: "${DATABASE}"\n'}accounts:
  main: { base_url: "\${GATEWAY_BASE_URL}", admin_key: "\${GATEWAY_ADMIN_KEY}" }
warehouse: { memory_limit: 512MB }
scheduler: { suspend_after: 0${database === undefined ? '' : ', lease: 2s'} }
mail:
  smtp: "\${SMTP_URL}"
  from: "Tollkeeper <reports@example.com>"
  operators: [ops@example.com]
  tls: { ca: ${ca} }
health: { host: 127.0.0.1, port: 0 }
`,
  jobs: `jobs:
  pull-logs: { kind: pull-logs, schedule: "7 * * * *", since: ${since} }
  rotate-apps:
    kind: rotate-keys
    schedule: "0 3 * * 1"
    keys: { name: "app-*" }
    every: 30d
    overlap: 1h
    quota: carry
    mode: apply
    deliver:
      - file: { path: "secrets/{service}.env", variable: GATEWAY_API_KEY }
      - file: { path: "secrets/{service}.json", pointer: /key }
    verify: { embeddings: { model: text-embedding-3-small } }
    retire: { when: unused, quiet: 2h, then: delete, max_overlap: 14d }
    limits: { max_per_run: 100%, min_remaining: 0 }
    tries: 20
`,
});

const hashOf = (key: string): string => createHash('sha256').update(key.replace(/^sk-/, '')).digest('hex');

const create = async (sandbox: Sandbox, fields: Readonly<Record<string, unknown>>): Promise<string> => {
  const answer = await fetch(`${sandbox.baseUrl}/api/token/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sandbox.adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ expired_time: -1, group: '', ...fields }),
  });
  return ((await answer.json()) as { data: { key: string } }).data.key;
};

export const openKeyFixture = async (
  program: BuiltProgram,
  scenario: KeyScenario,
  callsPerDay = 1,
  /** `postgres://`, of replicas with the configurations `config` and `other`. */
  database?: string,
): Promise<KeyFixture> => {
  let offset = 0;
  const now = (): number => Date.now() + offset;
  const began = now();
  const [folder, mail, sandbox] = await Promise.all([
    openFolder(),
    openMailServer(),
    startSandbox({
      now,
      months: 1,
      callsPerDay,
      variants: { key_cap: 'none', late_rows: 'absent', ...scenario.variants },
    }),
  ]);
  const killedBoundaries = join(folder.path, 'kills');
  const { settings, jobs } = config(mail.ca, new Date(began - day).toISOString().slice(0, 10), database);
  await folder.write('config/tollkeeper.yaml', settings);
  await folder.write('config/jobs/jobs.yaml', jobs);
  if (database !== undefined) {
    await folder.write(
      'other/tollkeeper.yaml',
      settings.replace('warehouse: {', 'warehouse: { path: other-data/x.duckdb,'),
    );
    await folder.write('other/jobs/jobs.yaml', jobs);
  }
  await mkdir(join(folder.path, 'secrets'));

  sandbox.traffic.addKeys(120, 'churn');
  const sources: Source[] = [];
  for (const service of services) {
    // One of them has a limit, so that its successor is to be lowered.
    const remain = sandbox.variants.quota_request_unit === 'units' ? 2_500_000 : 5;
    const limit =
      service === 'app-one'
        ? { unlimited_quota: false, remain_quota: remain }
        : { unlimited_quota: true, remain_quota: 0 };
    const key = await create(sandbox, { name: service, ...limit });
    const texts = {
      env: `# of ${service}\nOTHER=kept\nGATEWAY_API_KEY=${key}\n`,
      json: `{ "other": "kept", "key": "${key}" }\n`,
    };
    for (const [ending, text] of Object.entries(texts)) {
      const path = join(folder.path, `secrets/${service}.${ending}`);
      exemptFile(path);
      await folder.write(`secrets/${service}.${ending}`, text);
      sources.push(ending === 'env' ? { path, variable: 'GATEWAY_API_KEY' } : { path, pointer: '/key' });
    }
  }
  const keyIn = async ({ path }: Source): Promise<string> => {
    const text = await readFile(path, 'utf8');
    return /(?:GATEWAY_API_KEY=|"key": ?)"?([\w-]+)/.exec(text)?.[1] ?? '';
  };
  const ours = () => sandbox.state.keys.all().filter(({ name }) => name.startsWith('app-'));
  /** Every key that a sink was ever seen to hold. */
  const delivered = new Set<string>();
  for (const source of sources) delivered.add(hashOf(await keyIn(source)));
  /** What sinks held before the rotation. */
  const before = new Set<string>();
  /** Names of keys by the sort of event; whole lines of the journal alone. */
  const readNames = async (): Promise<(sort: 'delivering' | 'retained') => ReadonlySet<string>> => {
    const text = await readFile(join(folder.path, 'data/audit/keys.jsonl'), 'utf8').catch(() => '');
    const events = text
      .split('\n')
      .slice(0, -1)
      .map((line) => (JSON.parse(line) as { event: { what: string; name?: string } }).event);
    return (sort) => new Set(events.flatMap(({ what, name = '' }) => (what === sort ? [name] : [])));
  };
  const auditSize = async (): Promise<number> =>
    (await stat(join(folder.path, 'data/audit/keys.jsonl')).catch(() => undefined))?.size ?? 0;
  const newest = Math.max(...sandbox.state.keys.all().map(({ id }) => id));
  const consumer = await startConsumer({
    baseUrl: sandbox.baseUrl,
    model: 'text-embedding-3-small',
    sources,
  });
  const start = (argv: readonly string[], more: Readonly<Record<string, string>> = {}): Running =>
    program.start(argv, {
      cwd: folder.path,
      env: {
        GATEWAY_BASE_URL: sandbox.baseUrl,
        GATEWAY_ADMIN_KEY: sandbox.adminKey,
        SMTP_URL: mail.url,
        TZ: 'UTC',
        ...(database === undefined ? {} : { DATABASE: database }),
        NODE_OPTIONS: `--import=${preload}`,
        TOLLKEEPER_TEST_OFFSET: String(offset),
        ...more,
      },
    });

  return {
    folder,
    sandbox,
    mail,
    consumer,
    start: (argv) => start(argv),
    live: async (argv, killPlan = { kind: 'none' }) => {
      const written = await auditSize();
      const started = Date.now();
      const running = start(argv, {
        ...(killPlan.kind === 'boundary' || killPlan.kind === 'stop'
          ? { TOLLKEEPER_TEST_KILLS: killedBoundaries, TOLLKEEPER_TEST_BOUNDARIES: killPlan.which.source }
          : {}),
        ...(killPlan.kind === 'stop' ? { TOLLKEEPER_TEST_SIGNAL: 'SIGSTOP' } : {}),
      });
      for (let nth = 1; killPlan.kind === 'stop'; nth += 1) {
        const output = await running.line('stops at ', nth).catch(() => undefined);
        if (output === undefined) break;
        await killPlan.meanwhile(output.slice('stops at '.length));
        running.kill('SIGCONT');
      }
      const timer =
        killPlan.kind === 'moment' ? setTimeout(() => running.kill('SIGKILL'), killPlan.after) : undefined;
      const { code, signal } = await running.ended;
      clearTimeout(timer);
      return {
        killed: signal === 'SIGKILL',
        code,
        took: Date.now() - started,
        stepped: (await auditSize()) > written,
        output: `${running.stdout().join('\n')}${running.stderr()}`,
      };
    },
    elapse: (millis) => {
      offset += millis;
    },
    wrongs: async () => {
      const wrongs: string[] = [];
      const there = new Map(ours().map((key) => [key.hash, key]));
      for (const source of sources) {
        const hash = hashOf(await keyIn(source));
        delivered.add(hash);
        const key = there.get(hash);
        const at = sandbox.state.seconds();
        if (key === undefined) wrongs.push(`${source.path} holds a key that is deleted`);
        else if (key.disabled || (key.expiredTime !== -1 && key.expiredTime <= at))
          wrongs.push(`${source.path} holds ${key.name}, which has expired`);
      }
      const namesIn = await readNames();
      const [begun, retained] = [namesIn('delivering'), namesIn('retained')];
      const undelivered = ours()
        .filter(({ hash, name }) => !delivered.has(hash) && !begun.has(name))
        .map(({ name }) => name);
      // Until the call log is complete nobody knows whether an orphan is used: a few are kept, and no more are made.
      const unknown = undelivered.filter((name) => !retained.has(name));
      if (unknown.length > 1) wrongs.push(`${unknown.length} orphans: ${unknown.join(', ')}`);
      for (const service of services) {
        const kept = undelivered.filter((name) => retained.has(name) && name.startsWith(`${service}.`));
        if (kept.length > maxRetained) wrongs.push(`${kept.length} orphans retained: ${kept.join(', ')}`);
      }
      for (const { at, path, why } of consumer.failures().slice(0, 3))
        wrongs.push(`a call with ${path} failed at ${new Date(at).toISOString()}: ${why}`);
      return wrongs;
    },
    unfinished: async () => {
      const left: string[] = [];
      for (const service of services) {
        const own = ours().filter(({ name }) => name === service || name.startsWith(`${service}.`));
        const inSinks = new Set(
          await Promise.all(
            sources
              .filter(({ path }) => path.includes(`${service}.`))
              .map(async (source) => hashOf(await keyIn(source))),
          ),
        );
        if ([...inSinks].some((hash) => before.has(hash))) left.push(`${service} has its old key`);
        if (own.length !== 1 || inSinks.size !== 1 || !inSinks.has(own[0]?.hash ?? ''))
          left.push(
            `${service}: keys ${own.map(({ name }) => name).join(', ')}; ${inSinks.size} in its sinks`,
          );
      }
      const files = (await readdir(join(folder.path, 'secrets'))).toSorted();
      if (files.length !== sources.length) left.push(`beside the sinks lie ${files.join(', ')}`);
      const orphans = sandbox.state.keys
        .all()
        .filter(({ name, id }) => id > newest && !name.startsWith('churn-') && !name.startsWith('app-'));
      if (orphans.length > 0) left.push(`keys are left: ${orphans.map(({ name }) => name).join(', ')}`);
      for (const { path } of sources)
        if (!(await readFile(path, 'utf8')).includes('kept')) left.push(`${path} lost what was not ours`);
      return left;
    },
    begin: async () => {
      before.clear();
      for (const source of sources) before.add(hashOf(await keyIn(source)));
      sandbox.faults.clear();
      for (const fault of scenario.faults) sandbox.faults.plant(fault);
    },
    killedBoundaries: async () =>
      (await readFile(killedBoundaries, 'utf8').catch(() => '')).split('\n').filter((line) => line !== ''),
    forgetKilledBoundaries: async () => void (await folder.write('kills', '')),
    [Symbol.asyncDispose]: async () => {
      await consumer[Symbol.asyncDispose]();
      await sandbox.stop();
      await mail[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
};
