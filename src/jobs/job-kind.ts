import type { z } from 'zod';
import type {
  Clock,
  GatewayProfile,
  Interval,
  LocaleTag,
  Log,
  LogFields,
  Progress,
  UnixMillis,
} from '../core/index.ts';
import type { JobKind as JobShape } from '../config/index.ts';
import type { Gateway } from '../gateway/index.ts';
import type { KeyService } from '../keys/index.ts';
import type { MessageDefaults, RouteKind } from '../notify/index.ts';
import type { Warehouse } from '../warehouse/index.ts';
import type { RunTrigger } from '../storage/index.ts';
import type { CostOwners } from './cost-owners.ts';

/** The account that a run works for. */
export type JobAccount = {
  readonly name: string;
  readonly currency: 'USD' | 'CNY';
  readonly profile: GatewayProfile;
  readonly gateway: Gateway;
};

/** Where mails, and messages to other routes, go to be sent. */
export type JobMail = {
  /** Empty where no mail server is declared; the config's rules keep jobs from mailing then. */
  readonly from: string;
  readonly messageDefaults?: MessageDefaults;
  /** What the routes beside mail take, by name. */
  readonly kinds?: ReadonlyMap<string, RouteKind> | undefined;
  /** Holds the exact bytes of each mail until it is sent, and after. */
  readonly folder: string;
};

/** Where built reports are kept, and what of them a mail carries. */
export type JobReports = {
  /** Holds a folder a job, and in it one a slot. */
  readonly folder: string;
  /** Bytes of attachments as they travel; files beyond it are told of instead. */
  readonly attachLimit: number;
  /** Web address that the folder is served at, by whatever serves it. */
  readonly filesUrl?: string;
};

/** All a run may touch; nothing else comes in. */
export type JobContext = {
  /** The job's name in the YAML. */
  readonly name: string;
  /** Names the run in mails and logs: job and slot. */
  readonly runId: string;
  /** The moment the run is for, in milliseconds UTC: periods such as `yesterday` are counted from it, not from the clock. */
  readonly slot: UnixMillis;
  /** The data the run is about, fixed when its slot was claimed. */
  readonly interval: Interval<UnixMillis>;
  readonly trigger: RunTrigger;
  /** Set when the data it needs had not come by its deadline: what is late, in words for the report. */
  readonly dataLate?: string | undefined;
  readonly account: JobAccount;
  /** IANA zone that the job's days are cut in. */
  readonly zone: string;
  /** Language of a report that names none. */
  readonly locale: LocaleTag;
  readonly warehouse: Warehouse;
  readonly spoolDirectory: string;
  /** Folders that hold one folder a report; the first that has the report wins. */
  readonly reportDirectories: readonly string[];
  readonly reports: JobReports;
  /** Teams, budgets and prices; nothing where the config has none. */
  readonly costOwners?: CostOwners;
  /** Missing where nothing can be sent. */
  readonly mail: JobMail | undefined;
  /** All that is done to the keys of the account; for kinds that do something to them. */
  readonly keys?: (() => Promise<KeyService>) | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly progress: Progress;
  readonly signal: AbortSignal;
};

/** What a run did, in one line for a person and in figures for logs and `--json`. */
export type JobOutcome = { readonly summary: string; readonly figures: LogFields };

/** What a run would do, a line each; nothing is written to find it out. */
export type JobPlan = readonly string[];

/** One kind of job: the shape of its YAML and how it runs. */
export type JobKind = JobShape & {
  readonly run: (settings: unknown, context: JobContext) => Promise<JobOutcome>;
  readonly plan: (settings: unknown, context: JobContext) => Promise<JobPlan>;
  /** A backfill is one run over its time range of data, not one run a slot; earlier runs do not count. */
  readonly backfillsRange?: boolean;
  /** Up to which moment the data that this job brings are there; for kinds that bring data. */
  readonly watermark?: (settings: unknown, context: WatermarkContext) => Promise<UnixMillis | undefined>;
  /** Up to which moment a run of the slot needs data from the jobs it needs; the end of its interval when left out. */
  readonly needsThrough?: (settings: unknown, slot: UnixMillis, zone: string) => UnixMillis;
};

/** What is needed to tell how far data reach. */
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
  readonly faults?: NonNullable<JobShape['faults']>;
  readonly watermark?: (
    settings: z.output<Shape>,
    context: WatermarkContext,
  ) => Promise<UnixMillis | undefined>;
  readonly needsThrough?: (settings: z.output<Shape>, slot: UnixMillis, zone: string) => UnixMillis;
};

/** Lets each kind speak its own type; the config has parsed the settings with this very shape. */
export const defineJobKind = <Shape extends z.ZodObject>(typed: TypedJobKind<Shape>): JobKind => {
  const { run, plan, watermark, needsThrough, ...rest } = typed;
  type Own = z.output<Shape>;
  return {
    ...rest,
    run: (settings, context) => run(settings as Own, context),
    plan: (settings, context) => plan(settings as Own, context),
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
