import { iso, isoOr, type LocalDate, type Money, type UnixMillis } from '../../core/index.ts';
import type { AlertView } from '../../monitoring/index.ts';
import type { RunState } from '../../storage/index.ts';
import type { Block } from '../blocks.ts';
import type { SpendView } from '../spend-view.ts';
import { alertsSection, unknownAlertsSection } from './alerts.ts';
import { accountsSection, backupSection, reportsSection } from './data.ts';
import { jobsSection, openSection, runFacts, type RunView } from './jobs.ts';
import {
  clockProblemsSection,
  deadKeysSection,
  keyAgesSection,
  keyProblemSection,
  outdatedSection,
  rotationsSection,
} from './keys.ts';
import { mailFacts, mailSection, mailsSection, nextMailsSection, type OutboxView } from './mails.ts';
import { configSection, daemonSection, replicasSection, storeSection } from './process.ts';
import { jsonOf, type Look, type Section, type TeamScope } from './section.ts';

/** The sections of the status, in the order in which a terminal shows them, and what needs a person. */
const ofStatus = [
  daemonSection,
  replicasSection,
  storeSection,
  jobsSection,
  openSection,
  configSection,
  accountsSection,
  keyProblemSection,
  clockProblemsSection,
  deadKeysSection,
  outdatedSection,
  rotationsSection,
  unknownAlertsSection,
  mailSection,
  reportsSection,
  backupSection,
] as const;

/** Further sections of the page. */
const ofPage = [alertsSection, nextMailsSection, keyAgesSection, mailsSection] as const;

/** A field of an object, which may be missing where the facts may be. */
type Field<Name extends string, Facts> = undefined extends Facts
  ? { readonly [One in Name]?: Facts }
  : { readonly [One in Name]: Facts };

type Placed<One> =
  One extends Section<infer Path, infer Facts>
    ? Path extends `data.${infer Name}`
      ? { readonly data?: Field<Name, Facts> & { readonly zone: string } }
      : Field<Path, Facts>
    : never;

type All<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer Whole) => void
  ? Whole
  : never;

/** The facts of all sections of the status. Times in milliseconds UTC. */
export type StatusView = All<Placed<(typeof ofStatus)[number]>> & {
  readonly version: string;
  readonly now: UnixMillis;
};

/** The days of a job in the strip: the worst state of the runs of each day; null on days without runs. */
export type JobDays = {
  readonly job: string;
  readonly account: string;
  readonly states: readonly (RunState | null)[];
};

/** What the status page shows, of all or of one team. Times in milliseconds UTC. */
export type PageView = All<Placed<(typeof ofPage)[number]>> & {
  readonly status: StatusView;
  readonly team?: string | undefined;
  /** All teams of the configuration. */
  readonly teams: readonly string[];
  readonly spend: readonly (SpendView & {
    /** The monthly budget of the account or team. */
    readonly budget?: Money | undefined;
  })[];
  readonly history: { readonly days: readonly LocalDate[]; readonly jobs: readonly JobDays[] };
};

/** A section without the type of its facts; `factsAt` reads them at its path. */
type AnySection = Section<string, never>;

const statusSections = ofStatus as readonly unknown[] as readonly AnySection[];
const pageSections = ofPage as readonly unknown[] as readonly AnySection[];

type Fields = Readonly<Record<string, unknown>>;

const factsAt = (path: string, whole: object): never => {
  const [first = '', second] = path.split('.');
  const found = (whole as Fields)[first];
  return (second === undefined ? found : (found as Fields | undefined)?.[second]) as never;
};

/** Undefined removes the field. */
const withFacts = <Whole extends object>(path: string, whole: Whole, facts: unknown): Whole => {
  const [first = '', second] = path.split('.');
  if (second !== undefined)
    return { ...whole, [first]: withFacts(second, (whole as Fields)[first] ?? {}, facts) };
  const { [first]: _, ...others } = whole as Fields;
  return (facts === undefined ? others : { ...whole, [first]: facts }) as Whole;
};

/** Each section that the whole has facts of. */
const mapFacts = <Whole extends object>(
  whole: Whole,
  sections: readonly AnySection[],
  map: (section: AnySection, facts: never) => unknown,
): Whole => {
  let mapped = whole;
  for (const one of sections) {
    const facts = factsAt(one.path, whole);
    if (facts !== undefined) mapped = withFacts(one.path, mapped, map(one, facts));
  }
  return mapped;
};

/** What needs a person, one line each; empty when all is well. */
export const needsPerson = (status: StatusView): readonly string[] =>
  statusSections.flatMap(({ path, needsPerson: needed }) => {
    const facts = factsAt(path, status);
    return facts === undefined ? [] : (needed?.(facts) ?? []);
  });

/** The part of a status that is about one team. */
export const statusOfTeam = (status: StatusView, team: TeamScope): StatusView =>
  mapFacts(status, statusSections, ({ path, ofTeam }, facts) =>
    // The process is the same for all; its sections are not shown.
    path.startsWith('data.') ? ofTeam?.(facts, team) : (ofTeam?.(facts, team) ?? facts),
  );

const toJson = (sections: readonly AnySection[], whole: object): object =>
  mapFacts(whole, sections, ({ facts: schema }, facts) => jsonOf(schema, facts));

/** As `status --json` writes it: times in ISO 8601, amounts as decimal text. */
export const statusJson = (status: StatusView, needed: readonly string[] = needsPerson(status)): Fields => ({
  ...toJson(statusSections, status),
  now: iso(status.now),
  needsPerson: needed,
});

export const runJson = (run: RunView): unknown => jsonOf(runFacts, run);

export const outboxJson = (rows: readonly OutboxView[]): unknown => rows.map((row) => jsonOf(mailFacts, row));

export const alertsJson = (views: readonly AlertView[]): unknown => jsonOf(alertsSection.facts, views);

/** What the page shows, as `status --json` writes it. */
export const pageJson = (view: PageView): Fields => {
  const { status, team, history, spend } = view;
  const { alerts, keys, nextMails, mails } = toJson(pageSections, view) as Fields;
  return {
    ...statusJson(status),
    team,
    spend: spend.map(({ through, lastMonthThrough, ...one }) => ({
      ...one,
      through: isoOr(through),
      lastMonthThrough: isoOr(lastMonthThrough),
    })),
    alerts,
    history,
    keys,
    nextMails,
    mails,
  };
};

const lookAt = (status: StatusView, team?: string): Look => {
  const { waiting, failed, unknown, held } = status.mail;
  return {
    now: status.now,
    version: status.version,
    team,
    hasDaemon: status.daemon !== undefined,
    unsent: waiting + failed + unknown + held,
  };
};

const blocksOf = (sections: readonly AnySection[], whole: object, look: Look): readonly Block[] =>
  sections.flatMap(({ path, blocks }) =>
    path.startsWith('data.') && !('data' in whole) ? [] : (blocks?.(factsAt(path, whole), look) ?? []),
  );

/** What a terminal shows of a status. */
export const terminalBlocks = (status: StatusView): readonly Block[] =>
  blocksOf(statusSections, status, lookAt(status)).filter(({ on }) => on !== 'page');

/** What the page shows, in the order of its titles. */
export const pageBlocks = (view: PageView): readonly Block[] => {
  const { status, team } = view;
  const look = lookAt(status, team);
  return [...blocksOf(statusSections, status, look), ...blocksOf(pageSections, view, look)].filter(
    ({ on, title }) => on !== 'terminal' && (team === undefined || title !== 'Daemon'),
  );
};
