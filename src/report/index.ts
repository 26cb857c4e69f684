export { buildReport } from './build.ts';
export type { ReportDefinition } from './definition.ts';
export type { ReportFacts } from './facts.ts';
export { loadReport } from './load.ts';
export type { ReportModel } from './model.ts';
export { periodNames, resolvePeriod } from './period.ts';
export type { CubeReader } from './port.ts';
export { renderReport, standaloneHtml } from './render.ts';
export type { RenderedReport } from './render.ts';
