export { buildReport } from './build/build.ts';
export type { ReportDefinition } from './definition/definition.ts';
export type { ReportFacts } from './definition/facts.ts';
export { dataFiles, dataFormats, type DataFile, type DataFileFormat } from './attachments/report-files.ts';
export { boundOf, unitOf } from './attachments/data.ts';
export { loadReport } from './definition/load.ts';
export { inLocale } from './definition/texts.ts';
export { runNotes } from './locales/run-notes.ts';
export type { ReportModel } from './build/model.ts';
export {
  comparisonNames,
  periodForms,
  periodNames,
  resolvePeriod,
  type ComparisonName,
  type Period,
} from './definition/period.ts';
export { newReportFiles } from './definition/new-report.ts';
export { periodShape } from './definition/period-shape.ts';
export type { CubeReader } from './definition/port.ts';
export { renderReport, standaloneHtml, type RenderedReport } from './render/render.ts';
export { renderAlertEmail, type AlertBlock } from './render/alert-email.ts';
export { describeCause } from './build/changes/describe-cause.ts';
export { formatMoney, formatPercent } from './build/format.ts';
export { localeOf } from './locales/locales.ts';
