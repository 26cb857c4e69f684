import type { Command } from 'commander';
import type { Deps } from '../core/index.ts';

/** A command as the program lists it. The rest of it is loaded when it is asked for. */
export type CommandEntry = {
  readonly name: string;
  /** Its arguments, as its own help writes them. */
  readonly takes?: string;
  /** Whether it has options of its own, as nearly all have. */
  readonly hasOptions?: boolean;
  readonly summary: string;
  /** A line of the program's help. */
  readonly example?: string;
  readonly load: () => Promise<{ readonly define: (command: Command, deps: Deps) => void }>;
};

/** Every command there is, in the order of the help. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'serve',
    summary: 'the daemon: runs every job on its schedule, logs JSON lines, answers health checks',
    example: 'tollkeeper serve --config /config            the daemon',
    load: () => import('./serve/command.ts'),
  },
  {
    name: 'status',
    summary:
      'the daemon, the last and the next run of each job, open runs and rotations, mails that are not through',
    example:
      'tollkeeper status                            the daemon, last and next runs, what needs a person',
    load: () => import('./status/command.ts'),
  },
  {
    name: 'runs',
    takes: '[job]',
    summary: 'the last runs, newest first: how each ended and why, missed and skipped slots as well',
    example: 'tollkeeper runs daily-spend                  how its last runs ended and why',
    load: () => import('./runs/command.ts'),
  },
  {
    name: 'next',
    takes: '[job]',
    summary: 'the slots to come, in order of time',
    example: 'tollkeeper next --count 5                    the slots to come',
    load: () => import('./next/command.ts'),
  },
  {
    name: 'run',
    takes: '<job>',
    summary: 'one run of a job now, of one slot, or of all slots of a span, and the mail it makes',
    example: 'tollkeeper run pull-logs                     one run now',
    load: () => import('./run/command.ts'),
  },
  {
    name: 'check',
    summary: 'reads the whole config and prints every fault with its place, then the next runs of each job',
    example: 'tollkeeper check --config config             every fault of the config, then the next runs',
    load: () => import('./check/command.ts'),
  },
  {
    name: 'doctor',
    summary:
      'tries each real thing: disk, gateway, scopes of the Admin Key, mail server, clock; and what was learned',
    example:
      'tollkeeper doctor                            tries gateway, scopes, mail server, disk and clock',
    load: () => import('./doctor/command.ts'),
  },
  {
    name: 'report',
    takes: '<name>',
    summary: 'builds a report as HTML, text and data, and sends nothing',
    example: 'tollkeeper report spend-summary --period last-month --out out',
    load: () => import('./report/command.ts'),
  },
  {
    name: 'reports',
    summary: 'the reports that were built and mailed, newest first: totals, verdict, files',
    example: 'tollkeeper reports --job daily-spend          what was built, with its files',
    load: () => import('./reports/command.ts'),
  },
  {
    name: 'reconcile',
    summary: 'holds the call log against the statistics, the usage export and the account over a span',
    example: 'tollkeeper reconcile --from 2026-11-01 --to 2026-12-01',
    load: () => import('./reconcile/command.ts'),
  },
  {
    name: 'outbox',
    summary: 'the mails that were queued, newest first: how each stands, what went wrong last, the next try',
    example: 'tollkeeper outbox --state failed,unknown     mails that need a person',
    load: () => import('./outbox/command.ts'),
  },
  {
    name: 'keys',
    hasOptions: false,
    summary: 'API keys: what there is, what is planned, rotation and expiry by hand, and every step taken',
    example: 'tollkeeper keys                              every API key, what needs attention first',
    load: () => import('./keys/command.ts'),
  },
  {
    name: 'sandbox',
    summary:
      'the sandbox gateway alone: an account with months of traffic that forgets everything when it stops',
    load: () => import('./sandbox/command.ts'),
  },
  {
    name: 'demo',
    summary:
      'all of it together on throw-away data: sandbox gateway, both pulls, the report, a local mail catcher',
    example:
      'tollkeeper demo                              the whole product on throw-away data, no account needed',
    load: () => import('./demo/command.ts'),
  },
];

/** The order in which a person comes to need them; those that are not named here follow. */
const inOrderOfNeed =
  `demo check doctor run status runs next report reports reconcile outbox keys serve`.split(' ');

const place = ({ name }: CommandEntry): number =>
  inOrderOfNeed.includes(name) ? inOrderOfNeed.indexOf(name) : inOrderOfNeed.length;

/** The examples of the program's help. */
export const examples: readonly string[] = commands
  .toSorted((left, right) => place(left) - place(right))
  .flatMap(({ example }) => example ?? []);
