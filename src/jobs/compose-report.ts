import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fault, formatMoment } from '../base/index.ts';
import type { UnixSeconds } from '../base/index.ts';
import { formatConfigFault } from '../config/index.ts';
import type { ConfigFault, Job } from '../config/index.ts';
import { buildReport, loadReport, renderReport, resolvePeriod, standaloneHtml } from '../report/index.ts';
import type { RenderedReport, ReportDefinition, ReportModel } from '../report/index.ts';
import type { JobContext } from './job-kind.ts';
import { reconcilePeriod } from './reconcile-period.ts';
import { count } from './words.ts';

const readText = (path: string): Promise<string> => readFile(path, 'utf8');

const folderOf = async (name: string, directories: readonly string[]): Promise<string> => {
  for (const directory of directories) {
    const folder = join(directory, name);
    const found = await access(join(folder, 'report.yaml')).then(
      () => true,
      () => false,
    );
    if (found) return folder;
  }
  throw fault('report-unknown', `there is no report ${name}: looked in ${directories.join(', ')}`);
};

/** @throws Fault `report-unknown` or `report-invalid` with every fault of the folder. */
export const openReport = async (name: string, directories: readonly string[]): Promise<ReportDefinition> => {
  const { report, faults } = await loadReport(await folderOf(name, directories), readText);
  if (report !== undefined && faults.length === 0) return report;
  throw fault(
    'report-invalid',
    `the report ${name} has faults:\n${faults.map(formatConfigFault).join('\n')}`,
  );
};

/** Faults of the reports that the jobs name, each report once; a report that is missing is told by the config's rules. */
export const reportFaults = async (
  jobs: readonly Pick<Job, 'kind' | 'fields'>[],
  directories: readonly string[],
): Promise<readonly ConfigFault[]> => {
  const names = new Set(
    jobs.flatMap(({ fields }) => (typeof fields['report'] === 'string' ? [fields['report']] : [])),
  );
  const loaded = await Promise.all(
    [...names].map(async (name) => loadReport(await folderOf(name, directories), readText)),
  );
  return loaded.flatMap(({ faults }) => faults);
};

export type ReportFile = { readonly name: string; readonly text: string };

/** A built report as files: the HTML with its pictures inside, and the text. */
const filesOf = (name: string, rendered: RenderedReport): readonly ReportFile[] => [
  { name: `${name}.html`, text: standaloneHtml(rendered) },
  { name: `${name}.txt`, text: rendered.text },
];

export type ComposedReport = {
  readonly files: readonly ReportFile[];
  readonly model: ReportModel;
  readonly rendered: RenderedReport;
};

/** What the mail says of data that had not come by its deadline, and how far the call log reaches. */
const lateWords = (
  dataLate: string | undefined,
  reached: UnixSeconds | undefined,
  zone: string,
): readonly string[] =>
  dataLate === undefined
    ? []
    : [
        `The data is late: ${dataLate.trim().replace(/\.$/, '')}. ${
          reached === undefined
            ? 'No call log has been pulled yet.'
            : `The call log reaches to ${formatMoment(reached, zone)}.`
        }`,
      ];

/** What the mail says of rows of the period that are in quarantine. */
const unreadWords = (rows: number): readonly string[] =>
  rows === 0
    ? []
    : [
        `${count(rows, 'row')} of the call log could not be read and ${rows === 1 ? 'is' : 'are'} in no figure.`,
      ];

/** With a place for the warnings, which no report may keep to itself. */
const withNotes = (definition: ReportDefinition, days: number): ReportDefinition => {
  const when = days === 1 ? 'one-day' : 'several-days';
  const hasNotes = definition.sections.some(
    (section) => section.kind === 'notes' && (section.when === undefined || section.when === when),
  );
  return hasNotes ? definition : { ...definition, sections: [{ kind: 'notes' }, ...definition.sections] };
};

/** Builds one report over one period, counted from the run's slot and compared with the gateway's own statistics. Sends nothing. */
export const composeReport = async (
  request: {
    readonly report: string;
    readonly period: string | { readonly from: string; readonly to: string };
  },
  context: JobContext,
): Promise<ComposedReport> => {
  const { account, warehouse, zone, progress } = context;
  const definition = await openReport(request.report, context.reportDirectories);
  const period = resolvePeriod(request.period, context.slot, zone);
  progress({ step: `comparing with the gateway’s statistics`, detail: period.label });
  const covered = await warehouse.logs.reach(account.name);
  const compared = await reconcilePeriod(period.interval, context);
  progress({ step: `building ${request.report}`, detail: period.label });
  const warnings = [
    ...lateWords(context.dataLate, covered?.end, zone),
    ...unreadWords((await warehouse.logs.quarantined(account.name, period.interval)).length),
  ];
  const model = await buildReport({
    definition: warnings.length === 0 ? definition : withNotes(definition, period.days.length),
    warehouse,
    account: account.name,
    currency: account.currency,
    zone,
    period,
    facts: {
      runId: context.runId,
      warnings,
      ...(covered === undefined ? {} : { dataSince: covered.start, dataThrough: covered.end }),
      reconciliation: compared.known
        ? {
            verdict: compared.reconciliation.verdict,
            text: compared.reconciliation.text,
            good: compared.reconciliation.good,
          }
        : { verdict: 'unknown', text: `Not compared with the gateway: ${compared.reason}`, good: false },
    },
  });
  const rendered = await renderReport(model);
  return { model, rendered, files: filesOf(request.report, rendered) };
};
