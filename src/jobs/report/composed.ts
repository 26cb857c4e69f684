import type {
  Allowance,
  ComparisonName,
  CsvForm,
  LocaleTag,
  Progress,
  UnixSeconds,
} from '../../core/index.ts';
import type {
  Period,
  RenderedReport,
  ReportDefinition,
  ReportFacts,
  ReportModel,
} from '../../reports/index.ts';
import type { Filters, Part } from '../cost-owners.ts';
import type { JobContext } from '../job-kind.ts';

export type ReportFile = { readonly name: string; readonly text: string };

export type ComposedReport = {
  readonly files: readonly ReportFile[];
  readonly model: ReportModel;
  readonly rendered: RenderedReport;
  readonly period: Period;
  readonly definition: ReportDefinition;
  /** Of its data files. */
  readonly csv?: CsvForm | undefined;
  /** Whether it is of the whole account. */
  readonly isOfAccount: boolean;
  /** Where the call log ended when it was built; undefined before the first pull. */
  readonly reached: UnixSeconds | undefined;
  /** Result of the reconciliation with the gateway's own statistics. */
  readonly verdict: NonNullable<ReportFacts['reconciliation']>;
};

export type ReportRequest = {
  /** It closes no month: a journal of one that is open is a draft. */
  readonly isPreview?: boolean;
  readonly report: string;
  /** Defaults to the period of the report, else `defaultPeriod`. */
  readonly period?: string | { readonly from: string; readonly to: string } | undefined;
  /** Defaults to `yesterday`. */
  readonly defaultPeriod?: string;
  readonly comparison?: ComparisonName | undefined;
  readonly locale?: LocaleTag | undefined;
  readonly filters?: Filters | undefined;
  readonly allow?: Allowance | readonly Allowance[] | undefined;
  /** Of its data files. */
  readonly csv?: CsvForm | undefined;
};

export type PreparedReport = {
  readonly definition: ReportDefinition;
  readonly period: Period;
  /** Builds the report for the account or a part of it, and reports the progress of this part. Sends nothing. */
  readonly compose: (part?: Pick<Part, 'team' | 'tagged'>, progress?: Progress) => Promise<ComposedReport>;
};

/** Builds a report. Sends nothing. */
export type ComposeReport = (request: ReportRequest, context: JobContext) => Promise<ComposedReport>;
