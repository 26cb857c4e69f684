import { createSecretRegistry } from '../../../src/core/index.ts';
import { formatConfigFault, loadConfig } from '../../../src/config/index.ts';
import { loadReport } from '../../../src/reports/index.ts';
import { channels } from '../../../src/notify/index.ts';
import { jobKinds } from '../../../src/jobs/index.ts';
import { scheduleFault } from '../../../src/scheduler/index.ts';
import type { Target } from '../target.ts';

const files = ['config/tollkeeper.yaml', 'config/jobs/jobs.yaml', 'config/reports/x/report.yaml'] as const;

const notThere = (path: string): Error => Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' });

/** Settings, jobs and a report, separated by lines of `=====`. */
export const yaml: Target = {
  grammar: {
    token: /[ \t]+|\n|[\w.-]+|"(?:[^"\n]|\\.)*"|[^]/g,
    words: [
      ': ',
      '- ',
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      '&a ',
      '*a',
      '!!binary ',
      '!!js/function ',
      '|\n',
      '>\n',
      '#',
      '\t',
      '---\n',
      '? ',
      '<<: ',
      '~',
      '.nan',
      '.inf',
      '${',
      '${X}',
      '${file:/etc/passwd}',
      '\u0000',
      '\u202e',
      '%YAML 1.1\n',
      '0 0 31 2 *',
      '*/1 * * * * *',
      '@daily',
      'Europe/Berlin',
      '&b [*a,*a,*a,*a,*a,*a,*a,*a,*a]',
      '__proto__',
      'constructor',
      '400d',
      '=====\n',
    ],
    brackets: [
      ['[', ']'],
      ['{a: ', '}'],
      ['- ', ''],
      ['"', '"'],
      ['  ', ''],
    ],
  },
  seeds: [
    `timezone: Europe/Berlin
accounts:
  main: { base_url: "https://gateway.example.com", admin_key: "\${X}", currency: USD }
warehouse: { path: data/tollkeeper.duckdb, memory_limit: 1GB }
mail: { smtp: "smtp://mail.example.com:587", from: "Tollkeeper <reports@example.com>", operators: [ops@example.com] }
teams:
  growth: { keys: ["growth-*"], mail: [growth@example.com], budget: { month: 500 } }
=====
jobs:
  pull-logs: { kind: pull-logs, schedule: "7 * * * *", since: 2025-01-01, lag: 10m }
  rotate: { kind: rotate-keys, schedule: "0 3 * * 1", keys: { name: "g*" }, every: 30d, overlap: 1h, deliver: [{ file: { path: a.env, variable: KEY } }] }
  daily:
    kind: report
    schedule: "0 8 * * 1-5"
    report: x
    needs: [pull-logs]
    mail: { to: [finance@example.com] }
=====
title: "X"
sections:
  - kind: table
    title: Models
    sql: models.sql
    columns:
      - { label: Model, name: model_name, format: text }
      - { label: Spend, name: spend, format: money }
`,
  ],
  open: async () => ({
    run: async (text) => {
      const parts = text.split('=====\n');
      const contents = new Map<string, string>(files.map((file, at) => [file, parts[at] ?? '']));
      const readFile = async (path: string): Promise<string> => {
        const found = contents.get(path);
        if (found === undefined) throw notThere(path);
        return found;
      };
      const { config, faults } = await loadConfig({
        folder: 'config',
        readFile,
        listFiles: async (folder) => {
          const names = files.filter((file) => file.startsWith(`${folder}/`));
          if (names.length === 0) throw notThere(folder);
          return [...new Set(names.map((file) => file.slice(folder.length + 1).split('/')[0] ?? ''))];
        },
        env: { X: 'sk-admin-0123456789abcdefghijklmnop' },
        secrets: createSecretRegistry(),
        kinds: jobKinds,
        channels,
        reportFolders: ['config/reports'],
        checkSchedule: scheduleFault,
      });
      if ((config === undefined) !== faults.length > 0) throw new RangeError('neither a config nor faults');
      const shown = faults.map(formatConfigFault).join('\n');
      if (shown.includes('0123456789abcdefghijklmnop')) throw new RangeError('a secret is shown');
      await loadReport('config/reports/x', readFile);
    },
    [Symbol.asyncDispose]: async () => undefined,
  }),
};
