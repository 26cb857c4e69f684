import type { z } from 'zod';
import type {
  Clock,
  GatewayProfile,
  Interval,
  LateData,
  LocaleTag,
  Log,
  LogFields,
  Money,
  Progress,
  UnixMillis,
} from '../core/index.ts';
import type { JobKind as JobShape } from '../config/index.ts';
import type { FocusNames } from '../focus/index.ts';
import type { Gateway } from '../gateway/index.ts';
import type { KeyService } from '../keys/index.ts';
import type { MessageDefaults, RouteKind } from '../notify/index.ts';
import type { Warehouse } from '../warehouse/index.ts';
import type { MailStore, RunTrigger } from '../storage/index.ts';
import type { Backups } from './backup/backups.ts';
import type { CostOwners } from './cost-owners.ts';
import type { JournalSettings } from './journal/journal-lines.ts';

export type JobAccount = {
  readonly name: string;
  readonly currency: 'USD' | 'CNY';
  readonly profile: GatewayProfile;
  readonly gateway: Gateway;
  /** The names in exports for accounting; missing where nothing is exported. */
  readonly focus?: FocusNames | undefined;
  /** How its spend is posted. */
  readonly journal?: JournalSettings | undefined;
};

export type JobMail = {
  /** Empty without a mail server; the rules of the config then keep jobs from sending mail. */
  readonly from: string;
  readonly messageDefaults?: MessageDefaults;
  readonly kinds?: ReadonlyMap<string, RouteKind> | undefined;
  /** Holds the exact bytes of each mail until it is sent, and after. */
  readonly mails: MailStore;
};

export type JobReports = {
  /** Contains one folder per job, and in it one per slot. */
  readonly folder: string;
  /** Bytes of attachments after encoding; a mail only names files beyond it. */
  readonly attachLimit: number;
  /** The URL under which another server serves the folder. */
  readonly filesUrl?: string;
  /** The URL at which the status page is reached. */
  readonly pageUrl?: string;
  /** The URL at which the alert can be acknowledged or muted once, for the mail with this ID; missing where mails have none. */
  readonly alertLink?: (alert: string, mail: string) => string;
};

export type JobContext = {
  readonly name: string;
  /** Identifies the run in mails and logs: job and slot. */
  readonly runId: string;
  /** Milliseconds UTC; periods such as `yesterday` are relative to it, not to the clock. */
  readonly slot: UnixMillis;
  /** The data interval, fixed when the slot was claimed. */
  readonly interval: Interval<UnixMillis>;
  readonly trigger: RunTrigger;
  /** A person has accepted that the gateway has no calls any more for time that has stored rows. */
  readonly acceptEmpty?: boolean | undefined;
  /** Set when required data was late at the deadline: a description for the report. */
  readonly dataLate?: LateData | undefined;
  readonly account: JobAccount;
  /** IANA time zone that defines the job's days. */
  readonly zone: string;
  /** Locale of a report that declares none. */
  readonly locale: LocaleTag;
  readonly warehouse: Warehouse;
  readonly spoolDirectory: string;
  /** Each contains one folder per report; the first with the report wins. */
  readonly reportDirectories: readonly string[];
  readonly reports: JobReports;
  readonly costOwners?: CostOwners;
  /** All accounts of the configuration, and declared values of one unit of a currency in the other one. */
  readonly accounts?: {
    readonly all: readonly { readonly name: string; readonly currency: string }[];
    readonly rates: Readonly<Partial<Record<string, Money>>>;
  };
  /** Missing when nothing can be sent. */
  readonly mail: JobMail | undefined;
  readonly keys?: (() => Promise<KeyService>) | undefined;
  /** Missing when the database is in memory. */
  readonly backups?: Backups | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly progress: Progress;
  readonly signal: AbortSignal;
};

/** One line for people, and figures for logs and `--json`. */
export type JobOutcome = { readonly summary: string; readonly figures: LogFields };

/** What a run would do, one line each; planning writes nothing. */
export type JobPlan = readonly string[];

/** A mail that a run sends; `team` is null for the keys of no team, `part` names its folder in the report archive. */
export type ScheduledMail = {
  readonly team?: string | null | undefined;
  readonly part?: string;
  readonly to: readonly string[];
};

export type JobKind = JobShape & {
  readonly run: (settings: unknown, context: JobContext) => Promise<JobOutcome>;
  readonly plan: (settings: unknown, context: JobContext) => Promise<JobPlan>;
  /** A backfill is one run over its time range, not one per slot; earlier runs do not count. */
  readonly backfillsRange?: boolean;
  /** The mails of a run, for kinds that mail in each run. */
  readonly mails?: (
    settings: unknown,
    context: Pick<JobContext, 'name' | 'costOwners'>,
  ) => readonly ScheduledMail[];
  /** The time up to which the job's data is complete; for kinds that pull data. */
  readonly watermark?: (settings: unknown, context: WatermarkContext) => Promise<UnixMillis | undefined>;
  /** The time up to which a run of the slot needs data of the jobs it depends on; defaults to the end of its interval. */
  readonly needsThrough?: (settings: unknown, slot: UnixMillis, zone: string) => UnixMillis;
};

export type WatermarkContext = {
  readonly account: string;
  readonly zone: string;
  readonly warehouse: Warehouse;
};

type TypedJobKind<Shape extends z.ZodObject> = {
  readonly kind: string;
  readonly description: string;
  readonly shape: Shape;
  readonly run: (settings: z.output<Shape>, context: JobContext) => Promise<JobOutcome>;
  readonly plan: (settings: z.output<Shape>, context: JobContext) => Promise<JobPlan>;
  readonly onlyForbid?: boolean;
  readonly backfillsRange?: boolean;
  readonly runsAfterNeeds?: boolean;
  readonly sendsAlerts?: boolean;
  readonly reservesName?: (name: string) => boolean;
  readonly faults?: NonNullable<JobShape['faults']>;
  readonly mails?: (
    settings: z.output<Shape>,
    context: Pick<JobContext, 'name' | 'costOwners'>,
  ) => readonly ScheduledMail[];
  readonly watermark?: (
    settings: z.output<Shape>,
    context: WatermarkContext,
  ) => Promise<UnixMillis | undefined>;
  readonly needsThrough?: (settings: z.output<Shape>, slot: UnixMillis, zone: string) => UnixMillis;
};

/** Lets each kind use its own settings type, since the config has parsed the settings with this shape. */
export const defineJobKind = <Shape extends z.ZodObject>(typed: TypedJobKind<Shape>): JobKind => {
  const { run, plan, mails, watermark, needsThrough, ...rest } = typed;
  type Own = z.output<Shape>;
  return {
    ...rest,
    run: (settings, context) => run(settings as Own, context),
    plan: (settings, context) => plan(settings as Own, context),
    ...(mails === undefined
      ? {}
      : {
          mails: (settings: unknown, context: Pick<JobContext, 'name' | 'costOwners'>) =>
            mails(settings as Own, context),
        }),
    ...(watermark === undefined
      ? {}
      : { watermark: (settings: unknown, context: WatermarkContext) => watermark(settings as Own, context) }),
    ...(needsThrough === undefined
      ? {}
      : {
          needsThrough: (settings: unknown, slot: UnixMillis, zone: string) =>
            needsThrough(settings as Own, slot, zone),
        }),
  };
};
