import { z } from 'zod';
import { comparisonNames, localeTags } from '../core/index.ts';
import { outboxStates } from '../storage/index.ts';
import type { CommandTable, Handlers, InputOf } from './command.ts';

/** No name, time or fingerprint is longer. */
const text = z.string().min(1).max(1000);
const optionalText = z.optional(text);
const flag = z.optional(z.boolean());
/** Rows, slots or days. */
const count = (max: number) => z.int().min(1).max(max);
/** The text of a plan for thousands of keys. */
const plan = z.string().min(1).max(2_000_000);
const outboxIds = z.strictObject({ ids: z.array(text).max(10_000).readonly() });

/** Times are written as 2026-11-21T08:00, 2026-11-21, or with Z or an offset, and parsed in the time zone of the job. */
const run = z.strictObject({ job: text, slot: optionalText });
/** `acceptEmpty` removes rows of the call log that the gateway has no more, where no other source contradicts that. */
const backfill = z.strictObject({ job: text, from: text, to: text, acceptEmpty: flag });

/** `who` names a person as in the journal: `person anna`. */
const person = { who: text, account: optionalText };
const service = z.strictObject({ ...person, service: text });
const alert = { ...person, alert: text };

export const commandTable = {
  status: { input: z.strictObject({}), streams: 'nothing' },
  /** Newest first. */
  runs: { input: z.strictObject({ job: optionalText, limit: count(9_999_999) }), streams: 'nothing' },
  next: { input: z.strictObject({ job: optionalText, count: count(9_999_999) }), streams: 'nothing' },
  /** What a run would do, one line each; for a backfill, its slots. Writes nothing. */
  plan: { input: z.union([run, backfill]), streams: 'nothing' },
  /** Runs one slot, or now; answers when the run has ended, successful or not. */
  run: { input: run, streams: 'progress' },
  /** Runs every slot of the range in order, and sends the result of each as it ends. */
  backfill: { input: backfill, streams: 'results' },
  /** Sends nothing, but for a test mail to `mailTo`, which waits for the answer of the mail server. */
  report: {
    input: z.strictObject({
      report: text,
      /** `last-month`, or `FROM..TO`; defaults to the period of the report. */
      period: optionalText,
      comparison: z.optional(z.enum(comparisonNames)),
      account: optionalText,
      /** Restricts the report to one team. */
      team: optionalText,
      zone: optionalText,
      locale: z.optional(z.enum(localeTags)),
      /** Data files to build beside it. */
      attach: z.optional(z.array(z.enum(['csv', 'xlsx', 'parquet'])).readonly()),
      mailTo: optionalText,
    }),
    streams: 'progress',
  },
  /** One SELECT over the views of report SQL, with the periods of a report. */
  query: {
    input: z.strictObject({
      sql: text,
      period: optionalText,
      comparison: z.optional(z.enum(comparisonNames)),
      account: optionalText,
      zone: optionalText,
      /** Also answers with the rows as a file. */
      file: z.optional(z.enum(['csv', 'parquet'])),
      /** Also compares the period with the gateway. */
      compare: z.optional(z.boolean()),
    }),
    streams: 'progress',
  },
  /** Backs up everything that is stored into the target, an absolute path. */
  backup: {
    input: z.strictObject({ target: text, recipients: z.optional(z.array(text).max(100).readonly()) }),
    streams: 'progress',
  },
  /** Checks the real services, of all accounts or one; `probeKeys` creates a temporary key at each gateway, `rebuild` builds the rollup again. */
  doctor: {
    input: z.strictObject({ account: optionalText, probeKeys: flag, rebuild: flag }),
    streams: 'progress',
  },
  /** The names of keys and models that are known, by account. */
  names: { input: z.strictObject({}), streams: 'nothing' },
  /** Compares the call log with every other source, and stores the result. Times are parsed in the time zone of the config. */
  reconcile: {
    input: z.strictObject({ from: text, to: text, account: optionalText }),
    streams: 'progress',
  },

  /** Rows in these states, or all; newest first. */
  'outbox/list': {
    input: z.strictObject({
      states: z.optional(z.array(z.enum(outboxStates)).readonly()),
      limit: count(9_999_999),
    }),
    streams: 'nothing',
  },
  /** Sends rows (again): the same bytes with the same Message-ID. */
  'outbox/resend': { input: outboxIds, streams: 'nothing' },
  /** Sends the rows that a restore held, all of them if no IDs are given. */
  'outbox/release': { input: outboxIds.partial(), streams: 'nothing' },
  /** Marks rows as never to be sent. */
  'outbox/drop': { input: outboxIds, streams: 'nothing' },

  /** All budgets, the balance and key quotas, with their state as last evaluated. */
  'alerts/list': { input: z.strictObject({}), streams: 'nothing' },
  /** What happened to alerts, and actions of operators on them, newest first. */
  'alerts/log': { input: z.strictObject({ limit: count(9_999_999) }), streams: 'nothing' },
  /** `until` is a date or time, parsed in the time zone of the alert. */
  'alerts/mute': {
    input: z.strictObject({ ...alert, until: text, reason: optionalText }),
    streams: 'nothing',
  },
  'alerts/unmute': { input: z.strictObject(alert), streams: 'nothing' },
  'alerts/acknowledge': { input: z.strictObject({ ...alert, reason: optionalText }), streams: 'nothing' },

  /** All keys, or those of the named service, or the named key, with their use over `days`. */
  'keys/list': {
    input: z.strictObject({ account: optionalText, key: optionalText, days: count(10_000) }),
    streams: 'progress',
  },
  /** What each key job, or the named one, would do now. Writes nothing. */
  'keys/plan': { input: z.strictObject({ job: optionalText }), streams: 'nothing' },
  /** Parses a plan file and checks whether it may be applied. Writes nothing. */
  'keys/check-plan': { input: z.strictObject({ file: plan }), streams: 'nothing' },
  'keys/apply': { input: z.strictObject({ file: plan, who: text }), streams: 'progress' },
  /** Resumes the open rotation of the service, else starts one; answers when no step is due any more. */
  'keys/rotate': {
    input: z.strictObject({
      ...person,
      /** A service, the name of a key, or an id. */
      key: text,
      job: optionalText,
      /** For a compromised key: deletes it as soon as its successor is delivered. */
      now: z.boolean(),
      /** Quota of the new key, instead of the job's: an amount in the gateway's unit, or `unlimited`. */
      quota: optionalText,
    }),
    streams: 'progress',
  },
  'keys/expire': {
    input: z.strictObject({
      ...person,
      key: text,
      /** A time in the time zone of the config, or `+48h`; defaults to now. */
      at: optionalText,
      /** Ends the key even if sinks hold it and it has no successor. */
      evenIfCurrent: flag,
      /** Deletes the key instead of expiring it; excludes `at`. */
      delete: flag,
    }),
    streams: 'progress',
  },
  'keys/create': {
    input: z.strictObject({
      ...person,
      service: text,
      job: text,
      /** An amount, or `unlimited`. */
      quota: text,
      expires: optionalText,
      group: optionalText,
    }),
    streams: 'progress',
  },
  'keys/adopt': {
    input: z.strictObject({
      ...person,
      key: text,
      service: text,
      generation: z.int().min(1),
      /** Moves the key from its current service. */
      move: flag,
    }),
    streams: 'nothing',
  },
  'keys/confirm': {
    input: z.strictObject({ ...person, service: text, fingerprint: text }),
    streams: 'nothing',
  },
  /** Resumes a paused rotation and advances it. */
  'keys/resume': { input: service, streams: 'progress' },
  /** `forgetPlaces`: gives up only the places that no job declares any more. */
  'keys/give-up': { input: service.extend({ forgetPlaces: flag }), streams: 'nothing' },
  /** All services, or one; `apply` adopts the actual state into the journal, and changes no key and no sink. */
  'keys/reconcile': {
    input: z.strictObject({ ...person, service: optionalText, apply: z.boolean() }),
    streams: 'nothing',
  },
  /** Compares the audit file with the database. */
  'keys/audit': { input: z.strictObject({}), streams: 'nothing' },
  /** Oldest first. */
  'keys/history': {
    input: z.strictObject({ account: optionalText, service: optionalText }),
    streams: 'nothing',
  },
} as const satisfies CommandTable;

export type CommandName = keyof typeof commandTable;

export type CommandInput<Name extends CommandName> = InputOf<typeof commandTable, Name>;

export type CommandHandlers = Handlers<typeof commandTable>;
