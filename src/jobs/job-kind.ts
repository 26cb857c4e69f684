import type { z } from 'zod';
import type { Clock, GatewayProfile, Log, LogFields, Progress } from '../base/index.ts';
import type { JobKind as JobShape } from '../config/index.ts';
import type { Gateway } from '../gateway/index.ts';
import type { Warehouse } from '../warehouse/index.ts';

/** The account that a run works for. */
export type JobAccount = {
  readonly name: string;
  readonly currency: 'USD' | 'CNY';
  readonly profile: GatewayProfile;
  readonly gateway: Gateway;
};

/** Where mails go to be sent. */
export type JobMail = {
  readonly from: string;
  /** Holds the exact bytes of each mail until it is sent, and after. */
  readonly folder: string;
};

/** All a run may touch; nothing else comes in. */
export type JobContext = {
  /** The job's name in the YAML. */
  readonly name: string;
  /** Names the run in mails and logs. */
  readonly runId: string;
  readonly account: JobAccount;
  /** IANA zone that the job's days are cut in. */
  readonly zone: string;
  readonly warehouse: Warehouse;
  readonly spoolDirectory: string;
  /** Folders that hold one folder a report; the first that has the report wins. */
  readonly reportDirectories: readonly string[];
  /** Missing where the config has no `mail`. */
  readonly mail: JobMail | undefined;
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
};

type TypedJobKind<Shape extends z.ZodObject> = {
  readonly kind: string;
  readonly description: string;
  readonly shape: Shape;
  readonly run: (settings: z.output<Shape>, context: JobContext) => Promise<JobOutcome>;
  readonly plan: (settings: z.output<Shape>, context: JobContext) => Promise<JobPlan>;
};

/** Lets each kind speak its own type; the config has parsed the settings with this very shape. */
export const defineJobKind = <Shape extends z.ZodObject>(typed: TypedJobKind<Shape>): JobKind => ({
  kind: typed.kind,
  description: typed.description,
  shape: typed.shape,
  run: (settings, context) => typed.run(settings as z.output<Shape>, context),
  plan: (settings, context) => typed.plan(settings as z.output<Shape>, context),
});
