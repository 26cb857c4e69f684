import { z } from 'zod';
import { createSecretRegistry, unixMillis } from '../../../src/core/index.ts';
import {
  date,
  duration,
  formatConfigFault,
  jobMail,
  loadConfig,
  positiveDuration,
  reportName,
  type JobKind,
  type LoadOptions,
} from '../../../src/config/index.ts';
import { channels } from '../../../src/notify/index.ts';
import { nextSlots, scheduleFault } from '../../../src/scheduler/index.ts';

export const pullLogs = {
  kind: 'pull-logs',
  description: 'Pulls the call log.',
  shape: z.object({
    columns: z
      .union([z.enum(['detailed', 'all']), z.array(z.string().min(1)).min(1)])
      .default('detailed')
      .describe('Which columns are asked for.'),
    since: date.describe('The first day.'),
    lag: duration.prefault('10m').describe('How late rows may come.'),
    window: positiveDuration.optional(),
  }),
};

export const pullUsage = {
  kind: 'pull-usage',
  description: 'Pulls the usage export.',
  shape: z.object({
    group_by: z
      .array(z.enum(['model', 'token', 'vendor']))
      .min(1)
      .default(['model', 'token']),
    metric: z.enum(['spend', 'requests', 'tokens']).default('spend'),
    granularity: z.enum(['hour', 'day', 'week']).default('day'),
    top_n: z.int().min(1).default(10_000),
    since: date,
    lag: duration.prefault('10m'),
  }),
};

export const report = {
  kind: 'report',
  description: 'Builds a report and mails it.',
  shape: z.object({ report: reportName, period: z.string().default('yesterday'), mail: jobMail }),
};

export const kinds: readonly JobKind[] = [pullLogs, pullUsage, report];

/** The schedules of jobs as the program judges them. */
export const schedules: Pick<LoadOptions, 'checkSchedule' | 'longestSpace'> = {
  checkSchedule: scheduleFault,
  longestSpace: (schedule) => {
    const [first = 0, second = 0] = nextSlots(schedule, unixMillis(0), 2);
    return second - first;
  },
};

export type Files = Readonly<Record<string, string>>;

const notThere = (path: string): Error => Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' });

export const memoryFiles = (files: Files): Pick<LoadOptions, 'readFile' | 'listFiles'> => ({
  readFile: (path) => {
    const text = files[path];
    return text === undefined ? Promise.reject(notThere(path)) : Promise.resolve(text);
  },
  listFiles: (folder) => {
    const names = Object.keys(files).filter((file) => file.startsWith(`${folder}/`));
    return names.length === 0
      ? Promise.reject(notThere(folder))
      : Promise.resolve([...new Set(names.map((file) => file.slice(folder.length + 1).split('/')[0] ?? ''))]);
  },
});

export const reportFiles: Files = {
  'reports/spend-summary/report.yaml': '',
  'reports/showback/report.yaml': '',
};

/** Loads a config whose files are given as text; `text` is all the faults as they are shown. */
export const load = async (
  files: Files,
  env: Readonly<Record<string, string>> = {},
  more: Partial<LoadOptions> = {},
) => {
  const secrets = createSecretRegistry();
  const loaded = await loadConfig({
    folder: 'config',
    ...memoryFiles({ ...reportFiles, ...files }),
    env,
    secrets,
    kinds,
    channels,
    reportFolders: ['reports'],
    ...more,
  });
  return { ...loaded, secrets, text: loaded.faults.map(formatConfigFault).join('\n') };
};

export const goodSettings = `timezone: Europe/Berlin
accounts:
  main: { base_url: "\${GATEWAY_BASE_URL}", admin_key: "\${GATEWAY_ADMIN_KEY}", currency: USD }
warehouse: { path: data/tollkeeper.duckdb, memory_limit: 1GB }
mail: { smtp: "\${SMTP_URL}", from: "Tollkeeper <reports@example.com>", operators: [ops@example.com] }
teams:
  growth: { keys: ["growth-*"], mail: [growth@example.com], budget: { month: 500 } }
`;

export const goodJobs = `jobs:
  pull-logs:  { kind: pull-logs,  schedule: "7 * * * *", columns: detailed, since: 2025-01-01, lag: 10m }
  pull-usage: { kind: pull-usage, schedule: "20 1 * * *", group_by: [model, token], granularity: day, since: 2025-01-01 }
  daily-spend:
    kind: report
    schedule: "0 8 * * *"
    timezone: Asia/Shanghai
    timeout: 30m
    report: spend-summary
    period: yesterday
    needs: [pull-logs]
    mail: { to: [finance@example.com] }
`;

export const goodFiles: Files = {
  'config/tollkeeper.yaml': goodSettings,
  'config/jobs/spend.yaml': goodJobs,
};

export const goodEnv = {
  GATEWAY_BASE_URL: 'https://gateway.example.com',
  GATEWAY_ADMIN_KEY: 'sk-admin-0123456789abcdef',
  SMTP_URL: 'smtp://reports:pa%2Fss-word@mail.example.com:587',
};
