import { buildBudgets } from './budgets/build-budgets.ts';
import { buildChanges, waterfallOf } from './changes/build-changes.ts';
import { compareMoney, dateAt, fault, zero } from '../../core/index.ts';
import type { Waterfall } from '../../monitoring/index.ts';
import type { BuildRequest } from './build-request.ts';
import { buildChart, coloured, type BuiltChart, type Spike } from './build-chart.ts';
import { buildFigures } from './build-figures.ts';
import { buildFooter } from './build-footer.ts';
import { buildHeadline } from './build-headline.ts';
import { buildLooks, buildText } from './build-sentences.ts';
import { buildNotes } from './build-notes.ts';
import { buildTable } from './build-table.ts';
import { isWithheld } from './show-value.ts';
import type { Context } from './context.ts';
import { coverageOf } from './coverage.ts';
import type { SectionShape } from '../definition/definition.ts';
import type { ReportFacts } from '../definition/facts.ts';
import { formatMoney } from './format.ts';
import { describeCause } from './changes/describe-cause.ts';
import { buildData } from '../attachments/build-data.ts';
import type { ReportData } from '../attachments/data.ts';
import type { Advice } from '../locales/locale.ts';
import { localeOf } from '../locales/locales.ts';
import type { DataState, ReportModel, Checksum, SectionModel, ShownReport } from './model.ts';
import { showName } from './names.ts';
import { isOfPeriod, runQueries, rangeOf, type QueryResults } from './queries.ts';
import { queryTable } from './query-table.ts';
import { renderHtml } from '../render/render-html.ts';
import { sealOf, sealSections, sealState } from './checksum.ts';
import { subjectFields } from './subject-fields.ts';
import { fillTemplate } from '../definition/template.ts';
import { dataWarnings, queryWarnings } from './warnings.ts';

/** Gmail clips a mail at 102 kB; the difference is for what mail servers add. */
const maxHtmlBytes = 90_000;

/** A period without any data shows only text: sums would read as zero. */
const isShown = (section: SectionShape, state: DataState, context: Context): boolean =>
  (state !== 'missing' ||
    section.kind === 'notes' ||
    (section.kind === 'text' && section.sql === undefined)) &&
  isOfPeriod(section, context.period);

/**
 * The first day of the call log if it begins after the comparison period does: earlier values are unknown, not zero.
 */
const noDataBefore = ({ period, facts, zone, locale }: BuildRequest): Pick<Context, 'noDataBefore'> => {
  const { dataSince } = facts;
  const { comparison } = period;
  if (dataSince === undefined || comparison.days.length === 0 || dataSince <= comparison.interval.start)
    return {};
  const day = dateAt(dataSince, zone);
  const { shortDay, longDay } = localeOf(locale ?? 'en');
  return { noDataBefore: day.slice(0, 4) === period.last.slice(0, 4) ? shortDay(day) : longDay(day) };
};

type BuildResults = QueryResults & Pick<Context, 'colours' | 'waterfalls'>;

/** The colours of all series in the shown charts. */
const withColours = async (request: BuildRequest, results: QueryResults): Promise<BuildResults> => {
  const bare = { ...results, colours: new Map<string, number>(), waterfalls: new Map<string, Waterfall>() };
  const { context, state } = contextOf(request, bare);
  const names = request.definition.sections.flatMap((section) =>
    section.kind === 'chart' && isShown(section, state, context) ? coloured(section, context) : [],
  );
  const colours = names.length === 0 ? undefined : await request.assignColours?.(names);
  return colours === undefined ? bare : { ...bare, colours };
};

const contextOf = (
  request: BuildRequest,
  { tables, currency, hasAmounts, colours, waterfalls }: BuildResults,
): { context: Context; state: DataState } => {
  const { definition, period, facts } = request;
  const table = (file: string) => {
    const result = tables.get(file);
    if (result === undefined) throw fault('report-invalid', `the report names ${file}, which is not there`);
    return queryTable(file, result);
  };
  const { sql, name } = definition.headline;
  const totals = table(sql);
  const row = totals.only();
  const hasSpend = compareMoney(totals.figure(row, name) ?? zero, zero) !== 0;
  const reached = definition.rests_on === 'snapshots' ? 'complete' : coverageOf(period.interval, facts);
  const state = reached === 'missing' && hasSpend ? 'partial' : reached;
  const before = totals.has(`${name}_before`) ? (totals.figure(row, `${name}_before`) ?? zero) : zero;
  const isCovered =
    state === 'complete' &&
    hasAmounts &&
    period.comparison.days.length > 0 &&
    coverageOf(period.comparison.interval, facts) === 'complete';
  return {
    state,
    context: {
      locale: localeOf(request.locale ?? 'en'),
      currency,
      hasAmounts,
      zone: request.zone,
      period,
      rangeOf: (range) => rangeOf(request, range),
      comparable: isCovered && compareMoney(before, zero) !== 0,
      ...noDataBefore(request),
      covers: (day) => coverageOf(day, facts),
      table,
      colours,
      waterfalls,
    },
  };
};

/** Whether a table shows the colours of the charts, so that they need no legend. */
const hasSwatches = (sections: readonly SectionShape[]): boolean =>
  sections.some((section) => section.kind === 'table' && section.columns.some(({ swatch }) => swatch));

const spikeOf = (charts: readonly BuiltChart[]): Spike | undefined =>
  charts.find(({ spike }) => spike !== undefined)?.spike;

/** Undefined when the section is empty. */
const sectionOf = (
  section: SectionShape,
  sections: readonly SectionShape[],
  charts: ReadonlyMap<SectionShape, BuiltChart>,
  scale: number,
  facts: ReportFacts,
  context: Context,
): SectionModel | undefined => {
  const built = [...charts.values()];
  const { messages } = context.locale;
  switch (section.kind) {
    case 'figures':
      return buildFigures(section, context);
    case 'table': {
      if (section.optional && context.table(section.sql).rows.length === 0) return undefined;
      const colours = new Map(built.flatMap(({ colours }) => [...colours]));
      return buildTable(section, context, colours, scale);
    }
    case 'chart': {
      if (isWithheld(section.format, context))
        return section.optional
          ? undefined
          : { kind: 'text', title: section.title, paragraphs: [messages.amountsUnknown] };
      const model = charts.get(section)?.model;
      if (model?.bars.some(({ parts }) => parts.length > 0) === true)
        return hasSwatches(sections) ? { ...model, legend: [] } : model;
      return section.optional
        ? undefined
        : { kind: 'text', title: section.title, paragraphs: [messages.nothingBooked] };
    }
    case 'text':
      return buildText(section, context);
    case 'worth-a-look':
      return buildLooks(section, spikeOf(built), context);
    case 'budgets':
      return buildBudgets(section, facts.budgets, context, scale);
    case 'changes':
      return buildChanges(section, context);
    case 'notes': {
      const isShownBelow = sections.some(({ kind }) => kind === 'worth-a-look');
      const spike = isShownBelow ? undefined : spikeOf(built);
      const notes = buildNotes(section.title, spike, facts, context);
      if (scale === 1) return notes;
      return { ...notes, notes: [...notes.notes, { tone: 'look', text: messages.shortened }] };
    }
    default:
      return section satisfies never;
  }
};

/** What the figures omit, or are based on without proof. */
const doubtsOf = ({ uncounted, doubt }: QueryResults, context: Context, asked: string): readonly string[] => {
  const { currency, locale } = context;
  return [
    ...(doubt === undefined ? [] : [locale.messages.doubtfulAmounts[doubt](asked)]),
    ...uncounted.map(({ kind, rows, amount }) =>
      locale.messages.uncounted(showName(kind, 40), rows, formatMoney(amount, currency, locale)),
    ),
  ];
};

const dataOf = (
  request: BuildRequest,
  results: BuildResults,
): { readonly data: ReportData; readonly seal?: Checksum | undefined } => {
  const { headline, sections } = request.definition;
  const { context, state } = contextOf(request, results);
  const shown = sections.filter((section) => isShown(section, state, context));
  const data = buildData(buildHeadline(headline, state, context), shown, context);
  const seal = sealOf(
    { ...request, currency: context.currency },
    state,
    doubtsOf(results, context, request.currency),
    data,
  );
  return { data, seal };
};

/** The only team of the report; empty when it covers more. */
const teamOf = ({ deps }: BuildRequest, { locale }: Context): string => {
  const teams = deps?.only?.teams;
  return teams?.length === 1 ? (teams[0] ?? locale.messages.unassigned) : '';
};

/** Parts of the definition that make figures of the shown sections wrong. */
const warningsOf = (request: BuildRequest, results: BuildResults): readonly Advice[] => {
  const { definition } = request;
  const { context, state } = contextOf(request, results);
  const sections = definition.sections.filter((section) => isShown(section, state, context));
  const facts = new Map([...(definition.facts ?? [])].filter(([file]) => results.tables.has(file)));
  const all = [
    ...queryWarnings({ ...definition, sections }, facts, context.locale).map(({ advice }) => advice),
    ...(state === 'missing'
      ? []
      : dataWarnings(definition.headline, sections, facts, results.hasCalls, context)),
  ];
  return [...new Map(all.map((one) => [one.message, one])).values()];
};

/** Adds a section for the warnings, which no report may omit. */
const withNotes = (sections: readonly SectionShape[], facts: ReportFacts): readonly SectionShape[] =>
  facts.warnings.length === 0 || sections.some(({ kind }) => kind === 'notes')
    ? sections
    : [{ kind: 'notes' }, ...sections];

/** The main cause of the change, from the section that explains it. */
const causeOf = (
  sections: readonly SectionShape[],
  state: DataState,
  context: Context,
): string | undefined => {
  const section = sections.find((one) => one.kind === 'changes' && isShown(one, state, context));
  const waterfall = section?.kind === 'changes' ? waterfallOf(section, context) : undefined;
  const cause =
    waterfall === undefined ? undefined : describeCause(waterfall, context.currency, context.locale);
  return cause === undefined ? undefined : context.locale.messages.changes.main(cause.isAll, cause.text);
};

const assemble = (
  request: BuildRequest,
  results: BuildResults,
  scale: number,
  seal: Checksum | undefined,
  advice: readonly Advice[],
): ShownReport => {
  const { definition } = request;
  const { context, state } = contextOf(request, results);
  const facts = {
    ...request.facts,
    warnings: [
      ...doubtsOf(results, context, request.currency),
      ...request.facts.warnings,
      ...advice.map(({ message, advice: instead }) => context.locale.sentences([message, instead])),
    ],
  };
  const built = buildHeadline(
    definition.headline,
    state,
    context,
    causeOf(definition.sections, state, context),
  );
  const shown = withNotes(
    definition.sections.filter((section) => isShown(section, state, context)),
    facts,
  );
  const charts = new Map<SectionShape, BuiltChart>();
  for (const section of shown)
    if (section.kind === 'chart' && !isWithheld(section.format, context))
      charts.set(section, buildChart(section, context));
  const { above, below } = sealSections(seal, context.locale);
  const sections = [
    ...above,
    ...shown.flatMap((section) => sectionOf(section, shown, charts, scale, facts, context) ?? []),
    ...below,
  ];
  const team = teamOf(request, context);
  const subject = subjectFields(definition.title, request.account, team, built, state, facts, context);
  const fields =
    seal === undefined ? subject : { ...subject, state: sealState(seal, subject.state, context.locale) };
  const headline =
    seal === undefined || built.compared !== ''
      ? built
      : { ...built, compared: [fields.state, fields.verdict].filter((part) => part !== '').join(' · ') };
  return {
    locale: request.locale ?? 'en',
    currency: context.currency,
    title: definition.title,
    account: [request.account, team]
      .filter((name) => name !== '')
      .map((name) => showName(name, 60))
      .join(' · '),
    period: request.period.label,
    subject: fillTemplate(definition.subject, fields),
    preheader: fillTemplate(definition.preheader, fields),
    headline,
    sections: sections.filter((section) => section.kind !== 'notes' || section.notes.length > 0),
    footer: buildFooter(headline, facts, context),
  };
};

/**
 * Runs the SQL of a report over its period and the one before, and builds the model for HTML, text and pictures. Every
 * figure is an exact decimal. Tables are shortened, with exact sums, until the HTML is below 90 kB.
 *
 * @throws Fault `report-invalid` when the SQL does not return what the report requires, `report-query-failed` from the
 * warehouse
 */
export const buildReport = async (request: BuildRequest): Promise<ReportModel> => {
  const results = await withColours(request, await runQueries(request));
  const { data, seal } = dataOf(request, results);
  const warnings = warningsOf(request, results);
  for (const scale of [1, 0.7, 0.5, 0.3, 0.15, 0.01]) {
    const model = assemble(request, results, scale, seal, warnings);
    if (Buffer.byteLength(renderHtml(model)) < maxHtmlBytes)
      return { ...model, data, warnings, ...(seal === undefined ? {} : { seal }) };
  }
  throw fault(
    'report-invalid',
    `the report is larger than ${maxHtmlBytes / 1000} kB whatever is cut: give it fewer sections`,
  );
};
