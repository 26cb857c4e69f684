import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LocalDate } from '../core/index.ts';

const settings = `timezone: UTC
accounts:
  main:
    base_url: "\${GATEWAY_BASE_URL}"
    admin_key: "\${GATEWAY_ADMIN_KEY}"
    currency: USD
    budget: { month: "500" }
warehouse: { path: data/tollkeeper.duckdb, memory_limit: 1GB, threads: 1 }
mail:
  smtp: "smtp://\${SMTP_USER}:\${SMTP_PASSWORD}@127.0.0.1:\${SMTP_PORT}"
  from: "Tollkeeper <reports@tollkeeper.example>"
budgets:
  launch: { service: launch-demo, amount: "0.10", period: day, thresholds: ["100%"], owner: [platform@tollkeeper.example] }
`;

const jobs = (since: LocalDate): string => `jobs:
  pull-logs: { kind: pull-logs, schedule: "7 * * * *", columns: detailed, since: ${since}, lag: 10m }
  pull-usage: { kind: pull-usage, schedule: "20 1 * * *", group_by: [model, token], granularity: day, since: ${since} }
  budget-alerts: { kind: alert, needs: [pull-logs] }
  daily-spend:
    kind: report
    schedule: "0 8 * * *"
    report: spend-summary
    period: yesterday
    mail: { to: [platform@tollkeeper.example] }
  monthly-spend:
    kind: report
    schedule: "0 9 1 * *"
    report: spend-summary
    period: last-month
    mail: { to: [finance@tollkeeper.example, platform@tollkeeper.example] }
`;

const keys = `jobs:
  rotate-billing:
    kind: rotate-keys
    schedule: "0 3 * * 1"
    keys: { name: "billing*" }
    every: 30d
    overlap: 24h
    mode: apply
    deliver: [{ file: { path: "secrets/{service}.env", variable: GATEWAY_API_KEY } }]
    verify: { embeddings: { model: text-embedding-3-small } }
    retire: { when: unused, quiet: 12h, then: delete, max_overlap: 14d }
`;

/** The YAML that the demo runs on, as a person would write it. */
export const writeDemoConfig = async (folder: string, since: LocalDate): Promise<void> => {
  await mkdir(join(folder, 'jobs'), { recursive: true });
  await writeFile(join(folder, 'tollkeeper.yaml'), settings);
  await writeFile(join(folder, 'jobs', 'spend.yaml'), jobs(since));
  await writeFile(join(folder, 'jobs', 'keys.yaml'), keys);
};
