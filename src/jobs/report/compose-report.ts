import {
  didYouMean,
  fault,
  interval,
  isThere,
  readTextWithin,
  type Interval,
  type LocaleTag,
  type UnixSeconds,
} from '../../core/index.ts';
import { readdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { formatConfigFault, type ConfigFault } from '../../config/index.ts';
import { runNotes } from '../../messages/index.ts';
import {
  buildReport,
  inLocale,
  loadReport,
  renderReport,
  resolvePeriod,
  standaloneHtml,
  type Period,
  type RenderedReport,
  type ReportDefinition,
  type ReportModel,
} from '../../reports/index.ts';
import type { BindQueries } from '../../warehouse/index.ts';
import type { JobContext } from '../job-kind.ts';
import { isWhole, depsFor, noCostOwners, type Part } from '../cost-owners.ts';
import { monthOutlook } from '../forecasts/month-outlook.ts';
import { readJournal } from '../journal/read-journal.ts';
import { readBudgets } from '../alert/rules/budget/read-budgets.ts';
import type { Assessment, MonthOutlook } from '../../monitoring/index.ts';
import { readAccounts } from './accounts/read-accounts.ts';
import type { ComposedReport, PreparedReport, ReportFile, ReportRequest } from './composed.ts';
import { periodVerdict, type PeriodVerdict } from './period-verdict.ts';
import { findUnmatched } from './unmatched.ts';

/** The first of the folders that contains the path. */
const findIn = async (directories: readonly string[], path: string): Promise<string | undefined> => {
  for (const directory of directories) if (await isThere(join(directory, path))) return directory;
  return undefined;
};

/**
 * Loads a report whose files all lie in the reports folder, also through the links of a ConfigMap. SQL of another report is
 * looked up there first.
 */
const load = (
  folder: string,
  directories: readonly string[],
  bind: BindQueries,
): ReturnType<typeof loadReport> => {
  const own = dirname(folder);
  const readShared = async (name: string): Promise<string> => {
    const directory = (await findIn([own, ...directories], name)) ?? own;
    return readTextWithin(directory, join(directory, name));
  };
  return loadReport(
    folder,
    (path) => (dirname(path) === folder ? readTextWithin(own, path) : readShared(relative(own, path))),
    bind,
  );
};

const foldersIn = async (directory: string): Promise<readonly string[]> =>
  readdir(directory, { withFileTypes: true }).then(
    (entries) => entries.filter((entry) => entry.isDirectory()).map(({ name }) => name),
    () => [],
  );

const folderOf = async (name: string, directories: readonly string[]): Promise<string> => {
  const directory = await findIn(directories, join(name, 'report.yaml'));
  if (directory !== undefined) return join(directory, name);
  const folders = (await Promise.all(directories.map(foldersIn))).flat();
  const advice = didYouMean(name, folders);
  throw fault(
    'report-unknown',
    `no report ${name} exists in ${directories.join(', ')}`,
    advice === undefined ? {} : { advice },
  );
};

/** @throws Fault `report-unknown`, or `report-invalid` with every fault of the folder. */
export const openReport = async (
  name: string,
  directories: readonly string[],
  bind: BindQueries,
): Promise<ReportDefinition> => {
  const { report, faults } = await load(await folderOf(name, directories), directories, bind);
  if (report !== undefined && faults.length === 0) return report;
  throw fault(
    'report-invalid',
    `the report ${name} has faults:\n${faults.map(formatConfigFault).join('\n')}`,
  );
};

/**
 * Faults and warnings of the reports in the first folder and of their SQL. The rules of the configuration report a missing
 * report that a job names.
 */
export const checkReports = async (
  directories: readonly string[],
  bind: BindQueries,
): Promise<{ readonly faults: readonly ConfigFault[]; readonly warnings: readonly ConfigFault[] }> => {
  const [own = ''] = directories;
  const loaded = await Promise.all(
    (await foldersIn(own)).toSorted().map(async (name) => {
      const folder = join(own, name);
      return (await isThere(join(folder, 'report.yaml'))) ? load(folder, directories, bind) : undefined;
    }),
  );
  return {
    faults: loaded.flatMap((report) => report?.faults ?? []),
    warnings: loaded.flatMap((report) => report?.warnings ?? []),
  };
};

export const signedFile = (name: string, { seal }: Pick<ReportModel, 'seal'>): readonly ReportFile[] =>
  seal?.state === 'closed' ? [{ name: `${name}-signed.json`, text: seal.document }] : [];

const filesOf = (name: string, rendered: RenderedReport, model: ReportModel): readonly ReportFile[] => [
  { name: `${name}.html`, text: standaloneHtml(rendered) },
  { name: `${name}.txt`, text: rendered.text },
  ...signedFile(name, model),
];

/** Period and locale; the request overrides the report. */
export const outlineOf = async (
  request: ReportRequest,
  { reportDirectories, slot, zone, warehouse, locale: usual }: JobContext,
): Promise<Pick<PreparedReport, 'definition' | 'period'> & { readonly locale: LocaleTag }> => {
  const { locale = usual } = request;
  const definition = inLocale(
    await openReport(request.report, reportDirectories, warehouse.bindQueries),
    locale,
  );
  const { parameters } = definition;
  const period = resolvePeriod(
    request.period ?? parameters.period ?? request.defaultPeriod ?? 'yesterday',
    slot,
    zone,
    locale,
    request.comparison ?? parameters.comparison,
  );
  return { definition, period, locale };
};

const budgetsAt = async (
  { sections }: ReportDefinition,
  { interval: { end } }: Period,
  context: JobContext,
): Promise<readonly Assessment[]> => {
  const { budgets = [] } = context.costOwners ?? noCostOwners;
  if (budgets.length === 0 || !sections.some(({ kind }) => kind === 'budgets')) return [];
  const assessed = await readBudgets({ budgets, needed: end, until: end, before: new Map() }, context);
  return assessed.flatMap(({ periods }) => periods.at(-1)?.assessment ?? []);
};

/** The end of the month for the account or a team, where more is known of it than the pace, which the SQL of the report computes. */
const forecastOf = async (
  { team, filters, tagged }: Part,
  { interval: { end } }: Period,
  context: JobContext,
): Promise<MonthOutlook['forecast'] | undefined> => {
  if (team === null || !isWhole({ filters, tagged })) return undefined;
  const outlook = await monthOutlook({ team, end, zone: context.zone }, context);
  const { forecast } = outlook ?? {};
  return forecast?.method === 'pace' && forecast.range === 'paces' ? undefined : forecast;
};

/** A team, owner or cost center sees its own budgets; a report with filters shows none, because a budget covers more. */
const budgetsOf = (budgets: readonly Assessment[], part: Part): readonly Assessment[] => {
  if (isWhole(part)) return budgets;
  const { team, filters, tagged } = part;
  if (!isWhole({ filters })) return [];
  if (tagged !== undefined)
    return budgets.filter(
      ({ budget: { scope } }) =>
        scope.kind === 'tag' &&
        scope.tag === tagged.tag &&
        tagged.values.length === 1 &&
        tagged.values[0] === scope.name,
    );
  if (team === undefined || team === null) return [];
  return budgets.filter(({ budget: { scope } }) => scope.kind === 'team' && scope.name === team);
};

/**
 * Calls of the period after the watermark. A clock that was set back moves the watermark back, and rows stay until their
 * time is pulled again; a requested pull may land time that regular pulls have not reached.
 */
const callsAfter = async (
  watermark: UnixSeconds | undefined,
  { start, end }: Interval<UnixSeconds>,
  { account, warehouse }: JobContext,
): Promise<number> => {
  const from = watermark === undefined || watermark < start ? start : watermark;
  return from >= end ? 0 : (await warehouse.spend(account.name, interval(from, end))).calls;
};

export const prepareReport = async (request: ReportRequest, context: JobContext): Promise<PreparedReport> => {
  const { account, warehouse, zone, progress, costOwners = noCostOwners } = context;
  const { definition, period, locale } = await outlineOf(request, context);
  const says = runNotes(locale, zone);
  const covered = await warehouse.logs.watermark(account.name);
  const unread = (await warehouse.logs.quarantined(account.name, period.interval)).length;
  const unclear = await warehouse.logs.unclear(account.name, period.interval);
  const afterWatermark = await callsAfter(covered?.end, period.interval, context);
  const warnings = [
    ...(context.dataLate === undefined ? [] : [says.late(context.dataLate, covered?.end)]),
    ...(afterWatermark === 0 ? [] : [says.afterWatermark(afterWatermark)]),
    ...(unread === 0 ? [] : [says.unread(unread)]),
    ...(unclear === 0 ? [] : [says.unclear(unclear)]),
  ];
  const filters = request.filters ?? definition.parameters.filters;
  const budgets = await budgetsAt(definition, period, context);
  const unmatchedOf = findUnmatched(costOwners, context);

  let comparing: Promise<PeriodVerdict> | undefined;
  const compare = async (impatient?: AbortSignal): Promise<PeriodVerdict> => {
    if (comparing === undefined) {
      progress({ step: `comparing with the gateway’s statistics`, detail: period.label });
      comparing = periodVerdict(period.interval, locale, { ...context, impatient });
    }
    return comparing;
  };
  /** Whether the SQL of the report names the table. */
  const names = (table: string): boolean =>
    [...(definition.facts?.values() ?? [])].some(({ tables }) => tables.has(table));
  const allow = [request.allow ?? []].flat();

  const compose: PreparedReport['compose'] = async (of = {}, shown = progress) => {
    // It may show what the comparison stores.
    if (names('comparisons') || names('accounts')) await compare();
    shown({ step: `building ${request.report}`, detail: period.label });
    const part = { ...of, filters };
    const isOfAccount = isWhole(part);
    const { unmatched, selectsNothing } = await unmatchedOf(part);
    const model = await buildReport({
      definition,
      warehouse,
      account: account.name,
      currency: account.currency,
      zone,
      locale,
      period,
      allow,
      assignColours: async (names) => warehouse.seriesColours.assign(account.name, names),
      deps: {
        ...depsFor(costOwners, part, account.currency),
        run: { now: context.slot, covered },
        ...(isOfAccount && names('journal')
          ? { journal: await readJournal(period, request, context, composeReport) }
          : {}),
        ...(isOfAccount && names('accounts') ? { accounts: await readAccounts(period, context) } : {}),
        ...(names('forecast') ? { forecast: await forecastOf(part, period, context) } : {}),
      },
      facts: {
        runId: context.runId,
        warnings: [...warnings, ...unmatched.map(says.unmatchedNote)],
        selectsNothing: selectsNothing === undefined ? undefined : says.unmatched(selectsNothing),
        ...(covered === undefined ? {} : { dataSince: covered.start, dataThrough: covered.end }),
        ...(isOfAccount ? {} : { ofPart: true }),
        budgets: budgetsOf(budgets, part),
      },
      compare,
      signal: context.signal,
    });
    const rendered = await renderReport(model);
    const files = filesOf(request.report, rendered, model);
    const verdict = await compare();
    return {
      model,
      rendered,
      files,
      period,
      definition,
      csv: request.csv,
      isOfAccount,
      reached: covered?.end,
      verdict,
    };
  };
  return { definition, period, compose };
};

/** Builds one report over one period, relative to the run's slot, and reconciles it with the gateway's statistics. Sends nothing. */
export const composeReport = async (
  request: ReportRequest & { readonly team?: string | undefined },
  context: JobContext,
): Promise<ComposedReport> => (await prepareReport(request, context)).compose({ team: request.team });
