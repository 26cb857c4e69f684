import { z } from 'zod';
import { localeTags } from '../core/index.ts';
import { outboxStates } from '../storage/index.ts';
import type { CommandTable, Handlers, InputOf } from './command.ts';

/** No name, moment or fingerprint is longer. */
const text = z.string().min(1).max(1000);
const optionalText = z.optional(text);
const flag = z.optional(z.boolean());
/** Rows, slots or days. */
const count = (max: number) => z.int().min(1).max(max);
/** The text of a plan for thousands of keys. */
const plan = z.string().min(1).max(2_000_000);
const outboxIds = z.strictObject({ ids: z.array(text).max(10_000).readonly() });

/** Moments are given as a person writes them and read in the zone of the job: 2026-11-21T08:00, 2026-11-21, or with Z or an offset. */
const run = z.strictObject({ job: text, slot: optionalText });
const backfill = z.strictObject({ job: text, from: text, to: text });

/** `who` is a person as the journal names one: `person anna`. */
const person = { who: text, account: optionalText };
const service = z.strictObject({ ...person, service: text });
const alert = { ...person, alert: text };

/** Everything that can be asked of the program, from the daemon through its socket or of the process itself. */
export const commandTable = {
  status: { input: z.strictObject({}), streams: 'nothing' },
  /** The newest first. */
  runs: { input: z.strictObject({ job: optionalText, limit: count(9_999_999) }), streams: 'nothing' },
  next: { input: z.strictObject({ job: optionalText, count: count(9_999_999) }), streams: 'nothing' },
  /** What a run would do, a line each; for a backfill, the slots. Nothing is written. */
  plan: { input: z.union([run, backfill]), streams: 'nothing' },
  /** Runs one slot, or now; answers when the run has ended, well or not. */
  run: { input: run, streams: 'progress' },
  /** Runs every slot of the range, one after the other, and sends the result of each as it ends. */
  backfill: { input: backfill, streams: 'results' },
  /** Builds a report and sends nothing. */
  report: {
    input: z.strictObject({
      report: text,
      /** `last-month`, or `FROM..TO`; what the report itself says when left out. */
      period: optionalText,
      comparison: z.optional(z.enum(['previous', 'same-days-last-month', 'same-days-last-year', 'none'])),
      account: optionalText,
      /** The one team that it is about. */
      team: optionalText,
      zone: optionalText,
      locale: z.optional(z.enum(localeTags)),
      /** Its data as files beside it. */
      attach: z.optional(z.array(z.enum(['csv', 'xlsx', 'parquet'])).readonly()),
    }),
    streams: 'progress',
  },
  /** Tries each real thing, of all accounts or one; with `probeKeys` a temporary key is made at each gateway. */
  doctor: { input: z.strictObject({ account: optionalText, probeKeys: flag }), streams: 'progress' },
  /** Compares the call log with every other source, and keeps the outcome. Moments are read in the zone of the config. */
  reconcile: {
    input: z.strictObject({ from: text, to: text, account: optionalText }),
    streams: 'progress',
  },

  /** Of these states, or of all; the newest so many. */
  'outbox/list': {
    input: z.strictObject({
      states: z.optional(z.array(z.enum(outboxStates)).readonly()),
      limit: count(9_999_999),
    }),
    streams: 'nothing',
  },
  /** Sends rows (again), the same bytes with the same Message-ID. */
  'outbox/resend': { input: outboxIds, streams: 'nothing' },
  /** Rows that are never to be sent. */
  'outbox/drop': { input: outboxIds, streams: 'nothing' },

  /** All budgets, the balance and key quotas, with their state as last evaluated. */
  'alerts/list': { input: z.strictObject({}), streams: 'nothing' },
  /** What people did about alerts, newest first. */
  'alerts/log': { input: z.strictObject({ limit: count(9_999_999) }), streams: 'nothing' },
  /** `until` is a date or moment, read in the zone of the alert. */
  'alerts/mute': {
    input: z.strictObject({ ...alert, until: text, reason: optionalText }),
    streams: 'nothing',
  },
  'alerts/unmute': { input: z.strictObject(alert), streams: 'nothing' },
  'alerts/acknowledge': { input: z.strictObject({ ...alert, reason: optionalText }), streams: 'nothing' },

  /** All keys, or those of the service or the one key that is named, with their use of so many days. */
  'keys/list': {
    input: z.strictObject({ account: optionalText, key: optionalText, days: count(10_000) }),
    streams: 'progress',
  },
  /** What each job of keys, or the one named, would do now. Nothing is written. */
  'keys/plan': { input: z.strictObject({ job: optionalText }), streams: 'nothing' },
  /** Reads a plan file and says whether it may be applied. Nothing is written. */
  'keys/check-plan': { input: z.strictObject({ file: plan }), streams: 'nothing' },
  'keys/apply': { input: z.strictObject({ file: plan, who: text }), streams: 'progress' },
  /** Resumes what is open of the service, else begins; answers when no step can be taken now. */
  'keys/rotate': {
    input: z.strictObject({
      ...person,
      /** A service, the name of a key, or an id. */
      key: text,
      job: optionalText,
      /** For a compromised key: it is deleted as soon as its successor is delivered. */
      now: z.boolean(),
      /** What the new key may spend, in the place of what the job says: an amount in the unit of the gateway, or `unlimited`. */
      quota: optionalText,
    }),
    streams: 'progress',
  },
  'keys/expire': {
    input: z.strictObject({
      ...person,
      key: text,
      /** As a person writes it, read in the zone of the config, or `+48h`; now when left out. */
      at: optionalText,
      /** Though sinks hold it, and nothing takes its place. */
      evenIfCurrent: flag,
      /** Deletes it in place of expiring it; not together with `at`. */
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
      /** Out of the service that it is a key of so far. */
      move: flag,
    }),
    streams: 'nothing',
  },
  'keys/confirm': {
    input: z.strictObject({ ...person, service: text, fingerprint: text }),
    streams: 'nothing',
  },
  /** Lets a paused rotation go on, and advances it. */
  'keys/resume': { input: service, streams: 'progress' },
  /** `forgetPlaces`: gives up only the places that no job declares any more. */
  'keys/give-up': { input: service.extend({ forgetPlaces: flag }), streams: 'nothing' },
  /** Of all services, or one; `apply` takes what is there over into the journal, and changes no key and no sink. */
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

/** What a command of the program takes. */
export type CommandInput<Name extends CommandName> = InputOf<typeof commandTable, Name>;

/** What carries out the commands of the program. */
export type CommandHandlers = Handlers<typeof commandTable>;
