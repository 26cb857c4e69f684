import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { UnixMillis, UnixSeconds } from '../../core/index.ts';
import type { Locale } from '../../messages/index.ts';
import type { AlertRecord, AlertShown, Condition } from '../../monitoring/index.ts';
import type { AlertBlock } from '../../reports/index.ts';
import type { AlertStatus, StoredAlert } from '../../warehouse/index.ts';
import type { CostOwners } from '../cost-owners.ts';
import type { JobContext } from '../job-kind.ts';

/** A change of an alert that sends a notification. */
export type AlertEvent = 'alert' | 'recovered';

/** What mails about an account need. */
export type MailContext = {
  readonly account: string;
  readonly zone: string;
  readonly locale: Locale;
  readonly now: UnixMillis;
  readonly operators: readonly string[];
};

/** One evaluation of an account. */
export type RuleContext = MailContext & {
  readonly job: JobContext;
  /** The time up to which the call log must be complete, seconds UTC. */
  readonly needed: UnixSeconds;
  /** The alerts of the account that fire, also those without a status. */
  readonly firing: readonly string[];
};

/** What the evaluation before found, by alert. */
export type Before<Stored> = ReadonlyMap<
  string,
  { readonly status: Stored; readonly unknownSince?: UnixMillis | undefined }
>;

export type Decision<Stored> = {
  readonly conditions: readonly Condition[];
  /** By alert, what is stored; undefined: the alert has no status any more. Alerts that are not named keep theirs. */
  readonly stored: ReadonlyMap<
    string,
    { readonly status: Stored; readonly unknownSince?: UnixMillis | undefined } | undefined
  >;
};

/** A mail or chat about alerts. `id` is its subject in the outbox, where the same one is enqueued once. */
export type AlertNotice = {
  readonly id: string;
  /** What mails about the same alert have in common, by which they refer to each other. */
  readonly topic: string;
  /** The alert that begins; missing when it ends. */
  readonly begins?: string | undefined;
  readonly title: string;
  readonly to: readonly string[];
  /** The setting that holds `to`. */
  readonly recipients: string;
  readonly blocks: readonly AlertBlock[];
  readonly closing: readonly string[];
};

/** What is shown of an account: what was stored by alert, and what fires. */
export type ViewFacts<Stored> = {
  readonly account: string;
  readonly costOwners: CostOwners;
  readonly stored: ReadonlyMap<string, Stored>;
  readonly firing: readonly StoredAlert[];
};

/** A kind of alert: its settings, when it fires, what it writes and what it shows. */
export type AlertRule<Shape extends z.ZodRawShape, Found, Stored extends { readonly state: string }> = {
  /** A new rule calls its alerts `NAME:…`, which no budget can be called. */
  readonly name: string;
  /** Keys of a job of kind alert. */
  readonly settings: Shape;
  /** The status of an alert as it is stored. */
  readonly stored: z.ZodType<Stored>;
  readonly owns: (alert: string) => boolean;
  /** Reads what the decision needs. Only it has effects, and it writes nothing. */
  readonly read: (
    settings: z.output<z.ZodObject<Shape>>,
    before: Before<Stored>,
    context: RuleContext,
  ) => Promise<readonly Found[]>;
  readonly decide: (
    found: readonly Found[],
    settings: z.output<z.ZodObject<Shape>>,
    before: Before<Stored>,
    /** `firing`: the alerts of the rule that fire, also those without a status. */
    at: { readonly now: UnixMillis; readonly job: string; readonly firing: readonly string[] },
  ) => Decision<Stored>;
  /** The notices of an event; it may read, in the transaction that decides. */
  readonly notices: (
    event: AlertEvent,
    records: readonly AlertRecord[],
    found: readonly Found[],
    context: RuleContext,
  ) => Promise<readonly AlertNotice[]>;
  readonly view: (facts: ViewFacts<Stored>) => readonly AlertShown[];
};

/** The alerts that fired, or have a status, and are not found any more. */
export const goneOf = (
  found: ReadonlyMap<string, unknown>,
  before: ReadonlyMap<string, unknown>,
  firing: readonly string[],
): readonly string[] => [...new Set([...before.keys(), ...firing])].filter((alert) => !found.has(alert));

/** One evaluation of a rule. */
export type Evaluated = {
  readonly rule: string;
  readonly conditions: readonly Condition[];
  readonly statuses: readonly Omit<AlertStatus, 'account'>[];
  /** Alerts that have no status any more. */
  readonly gone: readonly string[];
  readonly states: readonly string[];
  readonly notices: (event: AlertEvent, records: readonly AlertRecord[]) => Promise<readonly AlertNotice[]>;
};

/** A registered rule, without the types of its findings and statuses. */
export type RegisteredRule<Shape extends z.ZodRawShape = z.ZodRawShape> = {
  readonly name: string;
  readonly settings: Shape;
  readonly owns: (alert: string) => boolean;
  readonly evaluate: (
    settings: unknown,
    stored: readonly AlertStatus[],
    context: RuleContext,
  ) => Promise<Evaluated>;
  /** With the status of each alert as it is stored. */
  readonly view: (
    statuses: readonly AlertStatus[],
    facts: Omit<ViewFacts<never>, 'stored'>,
  ) => readonly (AlertShown & { readonly status?: object })[];
};

/** Lets each rule use types of its own, since the config has parsed the settings with its shape. */
export const defineAlertRule = <
  Shape extends z.ZodRawShape,
  Found,
  Stored extends { readonly state: string },
>(
  rule: AlertRule<Shape, Found, Stored>,
): RegisteredRule<Shape> => {
  const { name, settings: shape, stored: schema, owns, read, decide, notices, view } = rule;
  /** Without those that another version has stored in a form of its own. */
  const readable = (statuses: readonly AlertStatus[]): Before<Stored> =>
    new Map(
      statuses.flatMap(({ alert, status, unknownSince }) => {
        const content = owns(alert) ? schema.safeParse(JSON.parse(status)) : undefined;
        return content?.success === true ? [[alert, { status: content.data, unknownSince }] as const] : [];
      }),
    );
  return {
    name,
    settings: shape,
    owns,
    evaluate: async (written, statuses, context) => {
      const settings = written as z.output<z.ZodObject<Shape>>;
      const before = readable(statuses);
      const found = await read(settings, before, context);
      const { now, job } = context;
      const firing = context.firing.filter(owns);
      const { conditions, stored } = decide(found, settings, before, { now, job: job.name, firing });
      const kept = [...stored].flatMap(([alert, one]) => (one === undefined ? [] : [{ alert, ...one }]));
      return {
        rule: name,
        conditions,
        statuses: kept.map(({ alert, status, unknownSince }) => ({
          alert,
          evaluatedAt: now,
          unknownSince,
          status: JSON.stringify(status),
        })),
        gone: [...stored].flatMap(([alert, one]) => (one === undefined ? [alert] : [])),
        states: kept.map(({ status }) => status.state),
        notices: async (event, records) => notices(event, records, found, context),
      };
    },
    view: (statuses, facts) => {
      const stored = new Map([...readable(statuses)].map(([alert, { status }]) => [alert, status]));
      return view({ ...facts, stored }).map((shown) => {
        const status = stored.get(shown.alert);
        return { ...shown, ...(status === undefined ? {} : { status }) };
      });
    },
  };
};

/** Records of one alert and period. */
export type RecordGroup = readonly [AlertRecord, ...AlertRecord[]];

export const groupsOf = (records: readonly AlertRecord[]): readonly RecordGroup[] => {
  const groups = new Map<string, RecordGroup>();
  for (const record of records) {
    const name = JSON.stringify([record.alert, record.period]);
    const group = groups.get(name);
    groups.set(name, group === undefined ? [record] : [...group, record]);
  }
  return [...groups.values()];
};

/** The same alerts give the same fingerprint, so that they are notified once. */
const idOf = (event: AlertEvent, records: RecordGroup): string =>
  createHash('sha256')
    .update(
      JSON.stringify([
        event,
        records.map(({ alert, level, period }) => JSON.stringify([alert, level, period])).toSorted(),
      ]),
    )
    .digest('hex')
    .slice(0, 32);

/** A notice of records of one alert; `byPeriod`: mails about another period of it do not refer to this one. */
export const noticeOf = (
  event: AlertEvent,
  records: RecordGroup,
  {
    byPeriod = false,
    ...message
  }: Omit<AlertNotice, 'id' | 'topic' | 'begins'> & { readonly byPeriod?: boolean },
): AlertNotice => {
  const [{ alert, period }] = records;
  return {
    id: idOf(event, records),
    topic: JSON.stringify(byPeriod ? [alert, period] : [alert]),
    begins: event === 'alert' ? alert : undefined,
    ...message,
  };
};
