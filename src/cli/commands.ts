import type { Command } from 'commander';
import type { Deps } from '../core/index.ts';

/** An entry of the command list; the command itself is loaded on demand. */
export type CommandEntry = {
  readonly name: string;
  /** Its arguments as in its own help. */
  readonly takes?: string;
  /** Defaults to true. */
  readonly hasOptions?: boolean;
  readonly summary: string;
  readonly example?: string;
  /** The page that describes it; README links to it. */
  readonly docs?: string;
  readonly load: () => Promise<{ readonly define: (command: Command, deps: Deps) => void }>;
};

/** In the order of the help. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'init',
    takes: '[folder]',
    summary: 'Write a configuration to start with, and validate it.',
    example: 'tollkeeper init --sandbox                    a trial without an account',
    docs: 'docs/start.md',
    load: () => import('./init/command.ts'),
  },
  {
    name: 'serve',
    summary:
      'Run the daemon: run jobs on their schedules, log JSON lines, serve health checks and the status page.',
    example: 'tollkeeper serve --config /config            the daemon',
    docs: 'docs/operations.md#status-page',
    load: () => import('./serve/command.ts'),
  },
  {
    name: 'status',
    summary: 'Show the daemon, the last and next run of each job, open runs and rotations, and unsent mails.',
    example: 'tollkeeper status                            daemon, last and next runs, required actions',
    load: () => import('./status/command.ts'),
  },
  {
    name: 'runs',
    takes: '[job]',
    summary: 'List runs, newest first, with their state and reason, including missed and skipped slots.',
    example: 'tollkeeper runs daily-spend                  its last runs, with state and reason',
    load: () => import('./runs/command.ts'),
  },
  {
    name: 'next',
    takes: '[job]',
    summary: 'List the next slots in chronological order.',
    example: 'tollkeeper next --count 5                    the next five slots',
    load: () => import('./next/command.ts'),
  },
  {
    name: 'run',
    takes: '<job>',
    summary: 'Run a job now, for one slot, or for all slots of a time range, and send its mails.',
    example: 'tollkeeper run pull-logs                     run it once, now',
    docs: 'docs/jobs.md#backfill',
    load: () => import('./run/command.ts'),
  },
  {
    name: 'check',
    summary:
      'Validate the configuration: print every fault with its location, and the next runs of each job.',
    example: 'tollkeeper check --config config             every fault, then the next runs',
    load: () => import('./check/command.ts'),
  },
  {
    name: 'doctor',
    summary:
      'Test disk, gateway, scopes of the Admin Key, sinks, mail server and clock, and show what was learned.',
    example: 'tollkeeper doctor                            test gateway, scopes, mail server, disk and clock',
    load: () => import('./doctor/command.ts'),
  },
  {
    name: 'backup',
    takes: '<target>',
    summary: 'Back up all stored data into a folder or a file, while the daemon runs.',
    example: 'tollkeeper backup /backups                   database, audit log, mails, reports, archive',
    docs: 'docs/operations.md#backup',
    load: () => import('./backup/command.ts'),
  },
  {
    name: 'restore',
    takes: '<from>',
    summary: 'Restore a backup, list backups, or verify one.',
    example: 'tollkeeper restore /backups --verify         read every byte of the newest backup',
    docs: 'docs/operations.md#backup',
    load: () => import('./restore/command.ts'),
  },
  {
    name: 'migrate',
    summary: 'Copy all data from the database file into PostgreSQL, or back, and compare both.',
    example:
      "tollkeeper migrate --to 'postgres://…'          into an empty database, with the daemon stopped",
    load: () => import('./migrate/command.ts'),
  },
  {
    name: 'report',
    takes: '<name>',
    summary: 'Build a report as HTML, text and data, or mail it to one address as a test.',
    example: 'tollkeeper report spend-summary --period last-month --out out',
    load: () => import('./report/command.ts'),
  },
  {
    name: 'focus',
    summary: 'Export a closed month for accounting, as FOCUS (FinOps Open Cost and Usage Specification).',
    example: 'tollkeeper focus --period 2026-10              its charges and corrections, as CSV',
    docs: 'docs/accounting.md',
    load: () => import('./focus/command.ts'),
  },
  {
    name: 'query',
    takes: '<sql>',
    summary: 'Run one SELECT over the views that report SQL reads, as table, CSV, JSON or Parquet.',
    example: `tollkeeper query "SELECT day, sum(spend) FROM cube GROUP BY ALL"`,
    docs: 'docs/reports.md',
    load: () => import('./query/command.ts'),
  },
  {
    name: 'schema',
    takes: '[view]',
    summary: 'Print the views that report SQL and queries read, with columns, units and meaning.',
    docs: 'docs/reference/views.md',
    load: () => import('./schema/command.ts'),
  },
  {
    name: 'mcp',
    summary:
      'Answer an assistant over the Model Context Protocol: spend, budgets, keys, jobs, queries; read-only.',
    load: () => import('./mcp/command.ts'),
  },
  {
    name: 'reports',
    summary: 'List built reports, newest first, with totals, verdict and files.',
    example: 'tollkeeper reports --job daily-spend         its reports, with their files',
    docs: 'docs/reports.md',
    load: () => import('./reports/command.ts'),
  },
  {
    name: 'backtest',
    summary: 'Show how far forecasts of past months would have been off.',
    example: 'tollkeeper backtest',
    docs: 'docs/budgets.md#how-good-forecasts-are',
    load: () => import('./backtest/command.ts'),
  },
  {
    name: 'reconcile',
    summary: 'Compare the call log with statistics, usage export and account over a time range.',
    example: 'tollkeeper reconcile --from 2026-11-01 --to 2026-12-01',
    docs: 'docs/jobs.md#reconciliation',
    load: () => import('./reconcile/command.ts'),
  },
  {
    name: 'outbox',
    summary: 'List queued mails and messages, newest first, with state, last error and next attempt.',
    example: 'tollkeeper outbox --state failed,unknown     mails that require action',
    load: () => import('./outbox/command.ts'),
  },
  {
    name: 'alerts',
    summary: 'List budgets, balance and key quotas with their state; mute and acknowledge alerts.',
    example: 'tollkeeper alerts                            budgets and their state',
    docs: 'docs/budgets.md',
    load: () => import('./alerts/command.ts'),
  },
  {
    name: 'keys',
    hasOptions: false,
    summary: 'List API keys, plan and apply rotations and expiries, and show every step taken.',
    example: 'tollkeeper keys                              every API key, those that need attention first',
    docs: 'docs/keys.md',
    load: () => import('./keys/command.ts'),
  },
  {
    name: 'call',
    summary: 'Call any endpoint of the gateway with an API key: chat, embeddings, images, music.',
    example: 'tollkeeper call messages --help              flags of an endpoint; --list shows all',
    load: () => import('./call/command.ts'),
  },
  {
    name: 'sandbox',
    summary: 'Run the sandbox gateway: an account with months of traffic, kept in memory only.',
    load: () => import('./sandbox/command.ts'),
  },
  {
    name: 'demo',
    summary:
      'Run everything on temporary data: sandbox gateway, pulls, reports, a rotation, and a local mail catcher.',
    example: 'tollkeeper demo                              everything on temporary data, without an account',
    load: () => import('./demo/command.ts'),
  },
  {
    name: 'completion',
    takes: '<shell>',
    hasOptions: false,
    summary: 'Print the script that completes commands and names in bash, zsh or fish.',
    load: async () => ({ define: (await import('./completion/command.ts')).completionOf(commands) }),
  },
];

/** The order in which people need the commands; unlisted ones follow. */
const inOrderOfNeed =
  `init demo check doctor run status runs next report reports reconcile alerts outbox keys serve`.split(' ');

const place = ({ name }: CommandEntry): number =>
  inOrderOfNeed.includes(name) ? inOrderOfNeed.indexOf(name) : inOrderOfNeed.length;

export const examples: readonly string[] = commands
  .toSorted((left, right) => place(left) - place(right))
  .flatMap(({ example }) => example ?? []);
