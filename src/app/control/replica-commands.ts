import { z } from 'zod';
import type { Deps } from '../../core/index.ts';
import type { Config } from '../../config/index.ts';
import { askReplica, commandTable } from '../../control/index.ts';
import type { SharedDatabase } from '../../storage/index.ts';
import type { FeedEntry, PageView } from '../../web/index.ts';
import { version } from '../../version.ts';
import type { ProgramHandlers } from './handlers.ts';

const text = z.string();

/**
 * What the working replica answers in the database: commands, and what the status page of a standby shows and does. Who acts is
 * decided by the standby, so that no token, cookie or signature is stored.
 */
export const sharedTable = {
  ...commandTable,
  /** Of all, or of one team. */
  'page/view': { input: z.strictObject({ team: z.optional(text) }), streams: 'nothing' },
  'page/feed': { input: z.strictObject({}), streams: 'nothing' },
  'page/report': { input: z.strictObject({ job: text, slot: text }), streams: 'nothing' },
  /** Starts a run, and does not wait for its end. */
  'page/run': { input: z.strictObject({ job: text }), streams: 'nothing' },
  'page/was-used': { input: z.strictObject({ who: text }), streams: 'nothing' },
  'page/has-ended': { input: z.strictObject({ session: text }), streams: 'nothing' },
  'page/log-out': { input: z.strictObject({ session: text, expiresAt: z.int() }), streams: 'nothing' },
  'page/use-link': {
    input: z.strictObject({ account: text, alert: text, who: text, until: z.optional(z.int()) }),
    streams: 'nothing',
  },
  /** Whether the working replica answers. */
  ping: { input: z.strictObject({}), streams: 'nothing' },
} as const;

type SharedHandlers = ProgramHandlers & {
  readonly 'page/view': (input: { team?: string | undefined }) => Promise<PageView | undefined>;
  readonly 'page/feed': () => Promise<readonly FeedEntry[]>;
  readonly 'page/report': (input: { job: string; slot: string }) => Promise<string | undefined>;
  readonly 'page/run': (input: { job: string }) => Promise<void>;
  readonly 'page/was-used': (input: { who: string }) => Promise<boolean>;
  readonly 'page/has-ended': (input: { session: string }) => Promise<boolean>;
  readonly 'page/log-out': (input: { session: string; expiresAt: number }) => Promise<void>;
  readonly 'page/use-link': (input: {
    account: string;
    alert: string;
    who: string;
    until?: number | undefined;
  }) => Promise<boolean>;
  readonly ping: () => Promise<void>;
};

/** The commands of the working replica, asked through the database. */
export const commandsOf = (
  { engine }: SharedDatabase,
  { clock }: Pick<Deps, 'clock'>,
  { settings }: Pick<Config, 'settings'>,
) => {
  // Another replica takes over within a lease and a few seconds; a browser does not wait longer.
  const timeout = Math.min(Math.max(1.5 * settings.scheduler.lease, 3000), 25_000);
  return askReplica<typeof sharedTable, SharedHandlers>({ database: engine, version, clock, timeout });
};
