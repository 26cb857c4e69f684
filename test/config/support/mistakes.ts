import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createSecretRegistry } from '../../../src/core/index.ts';
import { checkConfig, readConfig } from '../../../src/settings.ts';
import { manualClock } from '../../support/manual-clock.ts';

/** A config of the usual parts, one key a line so that places are easy to read. */
export const files: Readonly<Record<'settings' | 'pulls' | 'reports' | 'keys', string>> = {
  settings: `timezone: Europe/Berlin
accounts:
  main:
    base_url: "\${GATEWAY_BASE_URL}"
    admin_key: "\${GATEWAY_ADMIN_KEY}"
    currency: USD
    budget: { month: 30000 }
warehouse:
  memory_limit: 1GB
  threads: 2
mail:
  smtp: "\${SMTP_URL}"
  from: reports@example.com
  operators: [ops@example.com, ops-chat]
routes:
  ops-chat: { slack: { url: "\${SLACK_URL}" } }
teams:
  growth: { keys: ["growth-*"], mail: [growth@example.com] }
status:
  port: 8081
`,
  pulls: `jobs:
  pull-logs:
    kind: pull-logs
    schedule: "7 * * * *"
    since: 2026-01-01
    lag: 10m
    retries: { limit: 5 }
`,
  reports: `jobs:
  daily-spend:
    kind: report
    schedule: "0 8 * * *"
    report: spend-summary
    period: yesterday
    needs: [pull-logs]
    mail: { to: [finance@example.com], attach: [csv] }
    post: { to: [ops-chat] }
`,
  keys: `jobs:
  rotate-prod:
    kind: rotate-keys
    schedule: "0 3 * * mon"
    keys: { name: "prod-*" }
    every: 30d
    overlap: 48h
    deliver:
      - file: { path: "{service}.env", variable: API_KEY }
    windows: [{ days: [mon], from: "02:00", to: "05:00" }]
`,
};

export type FileName = keyof typeof files;

export const paths: Readonly<Record<FileName, string>> = {
  settings: 'tollkeeper.yaml',
  pulls: 'jobs/pulls.yaml',
  reports: 'jobs/reports.yaml',
  keys: 'jobs/keys.yaml',
};

export const env = {
  GATEWAY_BASE_URL: 'https://gateway.example.com',
  GATEWAY_ADMIN_KEY: 'sk-admin-of-the-tests',
  SMTP_URL: 'smtp://mail.example.com:587',
  SLACK_URL: 'https://hooks.slack.com/services/of-the-tests',
};

/** One change of one file: text replaced by text, or the whole of it, as text or bytes. */
export type Change =
  | readonly [file: FileName, from: string, to: string]
  | readonly [file: FileName, whole: string | Uint8Array];

export type Told = { readonly at: string; readonly message: string; readonly advice: string | undefined };

const changed = ([file, from, to]: Change): string | Uint8Array => {
  if (to === undefined) return from;
  const text = files[file];
  if (typeof from !== 'string' || text.split(from).length !== 2)
    throw new Error(`${String(from)} does not exist exactly once`);
  return text.replace(from, () => to);
};

type Vars = Readonly<Record<string, string | undefined>>;

/** The faults that are found in the config with these changes. */
const faultsBy = async (
  find: typeof checkConfig | typeof readConfig,
  changes: readonly Change[],
  vars: Vars = {},
  what: 'faults' | 'warnings' = 'faults',
): Promise<readonly Told[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'tollkeeper-mistake-'));
  try {
    const config = join(folder, 'config');
    const contents: Record<string, string | Uint8Array> = { ...files };
    for (const change of changes) contents[change[0]] = changed(change);
    for (const [name, text] of Object.entries(contents)) {
      const path = join(config, paths[name as FileName]);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    }
    const found = await find(config, {
      env: { ...env, ...vars },
      secrets: createSecretRegistry(),
      clock: manualClock(Date.UTC(2026, 10, 22)),
      cwd: folder,
      systemRoot: '/',
    });
    return (found[what] ?? []).map(({ file, line, column, message, advice }) => ({
      at: `${file.slice(config.length + 1)}:${line}:${column}`,
      message,
      advice,
    }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** What `check` tells of the config with these changes. */
export const check = (changes: readonly Change[], vars?: Vars): Promise<readonly Told[]> =>
  faultsBy(checkConfig, changes, vars);

/** What `check` warns of, in a config without faults. */
export const warningsOf = (changes: readonly Change[]): Promise<readonly Told[]> =>
  faultsBy(readConfig, changes, {}, 'warnings');

/** The same without a look at all reports, which takes most of the time where the config has no fault. */
export const read = (changes: readonly Change[], vars?: Vars): Promise<readonly Told[]> =>
  faultsBy(readConfig, changes, vars);
