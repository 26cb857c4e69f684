import { buildBudgets } from './budgets/build-budgets.ts';
import { buildChanges, spikesOf, waterfallOf } from './changes/build-changes.ts';
import { fault, together } from '../../core/index.ts';
import type { BuildRequest } from './build-request.ts';
import { contextOf, isShown, shownSections, withColours, type BuildResults } from './build-context.ts';
import { buildChart, type BuiltChart, type Spike } from './build-chart.ts';
import { buildFigures } from './build-figures.ts';
import { buildFooter } from './build-footer.ts';
import { buildHeadline, type Explanation } from './build-headline.ts';
import { buildLooks, buildText, namesInLooks } from './build-sentences.ts';
import { buildNotes } from './build-notes.ts';
import { buildTable } from './build-table.ts';
import { isWithheld, show } from './show-value.ts';
import type { Context } from './context.ts';
import type { SectionShape } from '../definition/definition.ts';
import type { ReportFacts } from '../definition/facts.ts';
import { formatMoney, type Advice } from '../../messages/index.ts';
import { describeCause } from './changes/describe-cause.ts';
import { buildData } from '../attachments/build-data.ts';
import type { ReportData } from '../attachments/data.ts';
import type { DataState, ReportModel, Checksum, SectionModel, ShownReport } from './model.ts';
import { showName } from './names.ts';
import { isInMail, isOfPeriod, runQueries, type QueryResults } from './queries.ts';
import { renderHtml } from '../render/render-html.ts';
import { sealOf, sealSections, sealState } from './checksum.ts';
import { fillTemplate, subjectFields } from './subject-fields.ts';
import { dataWarnings, queryWarnings } from './warnings.ts';

/** Gmail clips a mail at 102 kB; the difference is for what mail servers add. */
const maxHtmlBytes = 90_000;

/** Charts without their legend where tables show each of its colours. */
const withLegends = (sections: readonly SectionModel[]): readonly SectionModel[] => {
  const explained = new Set(
    sections.flatMap((section) => (section.kind === 'table' ? section.rows.map(({ colour }) => colour) : [])),
  );
  return sections.map((section) =>
    section.kind === 'chart' && section.legend.every(({ colour }) => explained.has(colour))
      ? { ...section, legend: [] }
      : section,
  );
};

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
      if (model?.bars.some(({ parts }) => parts.length > 0) === true) return model;
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
  const shown = shownSections(sections, state, context);
  const data = buildData(buildHeadline(headline, state, context).headline, shown, context);
  const seal = sealOf(
    { ...request, currency: context.currency },
    state,
    doubtsOf(results, context, request.currency),
    data,
  );
  return { data, seal };
};

/** The only team, owner or cost center of the report; empty when it covers more. */
const teamOf = ({ deps }: BuildRequest, { locale }: Context): string => {
  const values = deps?.only?.tagged?.values;
  if (values !== undefined)
    return (values.length === 1 ? values[0] : undefined) ?? locale.messages.unassigned;
  const teams = deps?.only?.teams;
  return teams?.length === 1 ? (teams[0] ?? locale.messages.unassigned) : '';
};

/** Parts of the definition that make figures of the shown sections wrong. */
const warningsOf = (request: BuildRequest, results: BuildResults): readonly Advice[] => {
  const { definition } = request;
  const { context, state } = contextOf(request, results);
  const sections = shownSections(definition.sections, state, context);
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
): Explanation | undefined => {
  const section = sections.find((one) => one.kind === 'changes' && isShown(one, state, context));
  if (section?.kind !== 'changes') return undefined;
  const waterfall = waterfallOf(section, context);
  const cause =
    waterfall === undefined
      ? undefined
      : describeCause(waterfall, context.currency, context.locale, spikesOf(section, context));
  if (cause === undefined) return undefined;
  const { isAll, text, names } = cause;
  return { text: context.locale.messages.changes.main(isAll, text), names };
};

const assemble = (
  request: BuildRequest,
  results: BuildResults,
  scale: number,
  seal: Checksum | undefined,
  advice: readonly Advice[],
  isWanted?: (section: SectionShape) => boolean,
): ShownReport => {
  const { definition } = request;
  const { context: bare, state } = contextOf(request, results);
  const facts = {
    ...request.facts,
    warnings: [
      ...doubtsOf(results, bare, request.currency),
      ...request.facts.warnings,
      ...advice.map(({ message, advice: instead }) => bare.locale.sentences([message, instead])),
    ],
  };
  const { headline: built, names } = buildHeadline(
    definition.headline,
    state,
    bare,
    causeOf(definition.sections, state, bare),
  );
  const shown = withNotes(shownSections(definition.sections, state, bare), facts);
  const looks = shown.flatMap((section) =>
    section.kind === 'worth-a-look' ? namesInLooks(section, bare) : [],
  );
  const context = { ...bare, named: new Set([...names, ...looks].filter((name) => name !== '')) };
  const charts = new Map<SectionShape, BuiltChart>();
  for (const section of shown)
    if (section.kind === 'chart' && !isWithheld(section.format, context))
      charts.set(section, buildChart(section, context));
  const { above, below } = sealSections(seal, context.locale);
  const sections = [
    ...above,
    ...shown
      .filter((section) => isWanted?.(section) ?? true)
      .flatMap((section) => sectionOf(section, shown, charts, scale, facts, context) ?? []),
    ...below,
  ];
  const team = teamOf(request, context);
  const subject = subjectFields(definition.title, request.account, team, built, state, facts, context);
  const fields =
    seal === undefined ? subject : { ...subject, state: sealState(seal, subject.state, context.locale) };
  const total =
    facts.selectsNothing === undefined
      ? built
      : {
          ...built,
          value: show(null, built.format, context),
          compared: facts.selectsNothing,
          cause: undefined,
        };
  const headline =
    seal === undefined || total.compared !== ''
      ? total
      : { ...total, compared: [fields.state, fields.verdict].filter((part) => part !== '').join(' · ') };
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
    sections: withLegends(sections.filter((section) => section.kind !== 'notes' || section.notes.length > 0)),
    footer: buildFooter(headline, facts, context, isWanted !== undefined),
  };
};

/** Runs the queries beside the comparison. */
const withComparison = async (
  request: BuildRequest,
): Promise<{ readonly request: BuildRequest; readonly results: QueryResults }> => {
  const queriesEnded = new AbortController();
  const [results, reconciliation] = await together([
    runQueries(request).finally(() => queriesEnded.abort()),
    request.compare?.(queriesEnded.signal),
  ]);
  if (reconciliation === undefined) return { request, results };
  return { request: { ...request, facts: { ...request.facts, reconciliation } }, results };
};

/**
 * Runs the SQL of a report over its period and the one before, and builds the model for HTML, text and pictures. Every
 * figure is an exact decimal. Tables are shortened, with exact sums, until the HTML of the mail is below 90 kB.
 *
 * @throws Fault `report-invalid` when the SQL does not return what the report requires, `report-query-failed` from the
 * warehouse
 */
export const buildReport = async (asked: BuildRequest): Promise<ReportModel> => {
  const { request, results: queried } = await withComparison(asked);
  const results = await withColours(request, queried);
  const { data, seal } = dataOf(request, results);
  const warnings = warningsOf(request, results);
  const { definition, period } = request;
  const isMailed = (section: SectionShape): boolean => isInMail(section, period);
  const hasMore = definition.sections.some((section) => isOfPeriod(section, period) && !isMailed(section));
  for (const scale of [1, 0.7, 0.5, 0.3, 0.15, 0.01]) {
    const mail = assemble(request, results, scale, seal, warnings, hasMore ? isMailed : undefined);
    if (Buffer.byteLength(renderHtml(mail)) >= maxHtmlBytes) continue;
    const whole = hasMore ? assemble(request, results, 1, seal, warnings) : mail;
    return {
      ...whole,
      end: period.interval.end,
      mail,
      data,
      warnings,
      ...(seal === undefined ? {} : { seal }),
    };
  }
  throw fault(
    'report-invalid',
    `the report is larger than ${maxHtmlBytes / 1000} kB whatever is cut: give it fewer sections`,
  );
};
