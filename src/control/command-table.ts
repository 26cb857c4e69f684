import { z } from 'zod';
import {
  attachFormats,
  comparisonNames,
  csvDecimals,
  csvDelimiters,
  focusFormats,
  focusVersions,
  isCsvForm,
  localeTags,
} from '../core/index.ts';
import { outboxStates } from '../storage/index.ts';
import type { CommandTable, Handlers, InputOf } from './command.ts';

/** No name, time or fingerprint is longer. */
const text = z.string().min(1).max(1000);
const flag = z.boolean();
/** Rows, slots or days. */
const count = (max: number) => z.int().min(1).max(max);
const rows = count(9_999_999).describe('how many');

const onlyAccount = text.describe('only this account').optional();
/** One account is read. */
const account = text.describe('account (default: the first one of the configuration)').optional();
const zone = text.describe('time zone of calendar days (default: as configured)').optional();
const period = text
  .describe('period such as yesterday, last-month, month-to-date, 2026-10 or 2026-10-01..2026-11-01')
  .optional();
const comparison = z.enum(comparisonNames);
const onlyJob = text.describe('only this job').optional();

const outboxIds = z.array(text).max(10_000).readonly();
const namedMails = z.strictObject({ ids: outboxIds.describe('IDs as shown by `tollkeeper outbox`') });

const run = {
  job: text.describe('name of the job as in the YAML'),
  slot: text.describe('run this slot of its schedule, unless it already succeeded').optional(),
};
const backfill = {
  job: run.job,
  from: text.describe('backfill: start of the time range'),
  to: text.describe('backfill: end of the time range (exclusive)'),
  acceptEmpty: flag
    .describe('pull-logs: remove stored rows of the time range that the gateway has no more')
    .optional(),
};

const who = text.describe('a person as in the journal: `person anna`');
const person = { who, account: text.describe('account of the key (default: search all)').optional() };
const serviceName = text.describe('its name');
const service = { ...person, service: serviceName };
const onlyService = text.describe('only this service').optional();
const alert = {
  who,
  account: text.describe('the account, if several have an alert of this name').optional(),
  alert: text.describe('name as shown by `tollkeeper alerts`'),
};
const reason = text.describe('recorded in the audit').optional();
const expected = {
  who,
  account: text.describe('only in this account (default: in all)').optional(),
  from: text.describe('first day, such as 2026-11-27'),
  to: text.describe('last day (default: the first one)').optional(),
};
const key = text.describe('service (its newest working key), key name, or ID; id:42 is always an ID');
/** The text of a plan for thousands of keys. */
const planFile = z.string().min(1).max(2_000_000).describe('file written by `keys plan -o`');

/** What each command takes, and says about it in its help. Times are written as 2026-11-21T08:00, 2026-11-21, or with Z or an offset. */
export const commandTable = {
  status: { input: z.strictObject({}), streams: 'nothing' },
  /** Newest first. */
  runs: {
    input: z.strictObject({ job: text.describe('only this job, with each attempt').optional(), limit: rows }),
    streams: 'nothing',
  },
  next: { input: z.strictObject({ job: onlyJob, count: rows }), streams: 'nothing' },
  /** What a run would do, one line each; for a backfill, its slots. Writes nothing. */
  plan: { input: z.union([z.strictObject(run), z.strictObject(backfill)]), streams: 'nothing' },
  /** Runs one slot, or now; answers when the run has ended, successful or not. Times are parsed in the time zone of the job. */
  run: { input: z.strictObject(run), streams: 'progress' },
  /** Runs every slot of the range in order, and sends the result of each as it ends. */
  backfill: { input: z.strictObject(backfill), streams: 'results' },
  /** Sends nothing, but for a test mail to `mailTo`, which waits for the answer of the mail server. */
  report: {
    input: z.strictObject({
      report: text.describe('a folder under reports/'),
      /** Defaults to the period of the report. */
      period,
      comparison: comparison.describe('period to compare with').optional(),
      account,
      team: text.describe('limit the report to this team').optional(),
      zone,
      locale: z.enum(localeTags).describe('language of the report (default: as configured)').optional(),
      attach: z
        .array(z.enum(attachFormats))
        .readonly()
        .describe(
          'also write or attach it as files: its data as csv, xlsx or parquet, its pages as pdf; comma-separated',
        )
        .optional(),
      csv: z
        .strictObject({ delimiter: z.enum(csvDelimiters), decimal: z.enum(csvDecimals) })
        .refine(isCsvForm, { error: 'a decimal comma needs another delimiter' })
        .describe('write CSV with these characters')
        .optional(),
      mailTo: text.describe('send it once to this address, marked as a test').optional(),
    }),
    streams: 'progress',
  },
  /** Closes the month if it is open and can be closed. */
  focus: {
    input: z.strictObject({
      period: text.describe('a month such as 2026-10 (default: last-month)').optional(),
      version: z.enum(focusVersions).describe('version of FOCUS (default: 1.4)').optional(),
      format: z.enum(focusFormats).describe('form of the files (default: csv)').optional(),
      account,
      zone: text
        .describe('time zone of the month (default: that of closed months, or else as configured)')
        .optional(),
    }),
    streams: 'progress',
  },
  /** Replays forecasts over the call log as it is now. */
  backtest: { input: z.strictObject({ account, zone }), streams: 'progress' },
  /** One SELECT over the views of report SQL, with the periods of a report. */
  query: {
    input: z.strictObject({
      sql: text.describe('one SELECT over the views that `tollkeeper schema` lists'),
      period,
      comparison: comparison.describe('days of the period `comparison`').optional(),
      account,
      zone,
      file: z.enum(['csv', 'parquet']).describe('also answer with the rows as a file').optional(),
      compare: flag.describe('also compare the period with the gateway').optional(),
    }),
    streams: 'progress',
  },
  /** Backs up everything that is stored into the target, an absolute path. */
  backup: {
    input: z.strictObject({
      target: text.describe('a folder of backups, or a file'),
      recipients: z
        .array(text)
        .max(100)
        .readonly()
        .describe('encrypt it for this age public key; repeatable')
        .optional(),
    }),
    streams: 'progress',
  },
  /** Checks the real services. */
  doctor: {
    input: z.strictObject({
      account: text.describe('account to check (default: all)').optional(),
      probeKeys: flag
        .describe('also create, change and delete a temporary key, to learn how keys are updated')
        .optional(),
      rebuild: flag
        .describe('also build the rollup of the call log again, and compare every figure')
        .optional(),
    }),
    streams: 'progress',
  },
  /** The names of keys and models that are known, by account. */
  names: { input: z.strictObject({}), streams: 'nothing' },
  /** Compares the call log with every other source, and stores the result. Times are parsed in the time zone of the config. */
  reconcile: {
    input: z.strictObject({
      from: text.describe('start of the time range'),
      to: text.describe('end of the time range (exclusive)'),
      account,
    }),
    streams: 'progress',
  },

  /** Newest first. */
  'outbox/list': {
    input: z.strictObject({
      states: z
        .array(z.enum(outboxStates))
        .readonly()
        .describe(`only these states, comma-separated: ${outboxStates.join(', ')}`)
        .optional(),
      limit: rows,
    }),
    streams: 'nothing',
  },
  /** Sends rows (again): the same bytes with the same Message-ID. */
  'outbox/resend': { input: namedMails, streams: 'nothing' },
  /** Sends the rows that a restore held. */
  'outbox/release': {
    input: z.strictObject({
      ids: outboxIds.describe('IDs as shown by `tollkeeper outbox`; all held messages if omitted').optional(),
    }),
    streams: 'nothing',
  },
  /** Marks rows as never to be sent. */
  'outbox/drop': { input: namedMails, streams: 'nothing' },

  /** The alerts of all rules, with their state as last evaluated. */
  'alerts/list': { input: z.strictObject({}), streams: 'nothing' },
  /** What happened to alerts, and actions of operators on them, newest first. */
  'alerts/log': { input: z.strictObject({ limit: rows }), streams: 'nothing' },
  /** The time is parsed in the time zone of the alert. */
  'alerts/mute': {
    input: z.strictObject({
      ...alert,
      until: text.describe('a date, or a moment such as 2026-12-01T08:00'),
      reason,
    }),
    streams: 'nothing',
  },
  'alerts/unmute': { input: z.strictObject(alert), streams: 'nothing' },
  'alerts/acknowledge': { input: z.strictObject({ ...alert, reason }), streams: 'nothing' },
  /** Days that a person knows to be unusual. */
  'alerts/expected': { input: z.strictObject({}), streams: 'nothing' },
  'alerts/expect': {
    input: z.strictObject({
      ...expected,
      reason: text.describe('why these days are unusual, such as "load test"'),
    }),
    streams: 'nothing',
  },
  'alerts/forget': { input: z.strictObject(expected), streams: 'nothing' },

  'keys/list': {
    input: z.strictObject({
      account: onlyAccount,
      key: text.describe('service (with all its keys), key name, or ID').optional(),
      days: count(10_000).describe('days of usage to include'),
    }),
    streams: 'progress',
  },
  /** What each key job would do now. Writes nothing. */
  'keys/plan': {
    input: z.strictObject({
      job: text.describe('job of kind rotate-keys or expire-keys (default: all)').optional(),
    }),
    streams: 'nothing',
  },
  /** Parses a plan file and checks whether it may be applied. Writes nothing. */
  'keys/check-plan': { input: z.strictObject({ file: planFile }), streams: 'nothing' },
  'keys/apply': { input: z.strictObject({ file: planFile, who }), streams: 'progress' },
  /** Resumes the open rotation of the service, else starts one; answers when no step is due any more. */
  'keys/rotate': {
    input: z.strictObject({
      ...person,
      key,
      job: text
        .describe('rotate-keys job that provides sinks and terms (default: the job that covers the key)')
        .optional(),
      now: flag.describe(
        'for a compromised key: no overlap; delete the old key as soon as the new one is delivered',
      ),
      quota: text
        .describe('quota of the new key in the unit of the gateway, or unlimited (default: as in the job)')
        .optional(),
    }),
    streams: 'progress',
  },
  'keys/expire': {
    input: z.strictObject({
      ...person,
      key,
      /** In the time zone of the config. */
      at: text.describe('expiry: 2026-12-01, 2026-12-01T08:00Z or +48h (default: now)').optional(),
      evenIfCurrent: flag.describe('even if sinks contain it: calls with it will be refused').optional(),
      /** Excludes `at`. */
      delete: flag.describe('delete it, as for a gateway that refuses an expiry in the past').optional(),
    }),
    streams: 'progress',
  },
  'keys/create': {
    input: z.strictObject({
      ...service,
      job: text.describe('rotate-keys job that provides sinks and terms'),
      /** Or `unlimited`. */
      quota: text.describe('quota in the unit of the gateway'),
      expires: text.describe('expiry: 2026-12-01, 2026-12-01T08:00Z or +90d (default: never)').optional(),
      group: text.describe('group (default: the default group of the gateway)').optional(),
    }),
    streams: 'progress',
  },
  'keys/adopt': {
    input: z.strictObject({
      ...person,
      key,
      service: text.describe('service of the key'),
      generation: z.int().min(1).describe('generation of the key within the service'),
      move: flag.describe('move it from its current service').optional(),
    }),
    streams: 'nothing',
  },
  'keys/confirm': {
    input: z.strictObject({
      ...service,
      fingerprint: text.describe('SHA-256 of the key, 64 hexadecimal digits; never the key itself'),
    }),
    streams: 'nothing',
  },
  /** Resumes a paused rotation and advances it. */
  'keys/resume': { input: z.strictObject(service), streams: 'progress' },
  'keys/give-up': {
    input: z.strictObject({
      ...service,
      forgetPlaces: flag
        .describe('only confirm that places no job declares any more hold no key of the service')
        .optional(),
    }),
    streams: 'nothing',
  },
  'keys/reconcile': {
    input: z.strictObject({
      ...person,
      service: onlyService,
      apply: flag.describe('update the journal to the actual state; no key and no sink is changed'),
    }),
    streams: 'nothing',
  },
  /** Compares the audit file with the database. */
  'keys/audit': { input: z.strictObject({}), streams: 'nothing' },
  /** Oldest first. */
  'keys/history': {
    input: z.strictObject({ account: onlyAccount, service: onlyService }),
    streams: 'nothing',
  },
} as const satisfies CommandTable;

export type CommandName = keyof typeof commandTable;

export type CommandInput<Name extends CommandName> = InputOf<typeof commandTable, Name>;

export type CommandHandlers = Handlers<typeof commandTable>;

type Described = {
  readonly [Name in CommandName]: (typeof commandTable)[Name]['input'] extends z.ZodObject ? Name : never;
}[CommandName];

/** What the help says about each input of a command. */
export const inputTexts = <Name extends Described>(
  name: Name,
): Readonly<Record<keyof CommandInput<Name>, string>> => {
  const { shape } = commandTable[name].input as z.ZodObject;
  const texts = Object.entries(shape).map(([field, { description = '' }]) => [field, description]);
  return Object.fromEntries(texts) as Record<keyof CommandInput<Name>, string>;
};
