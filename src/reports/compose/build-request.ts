import type { Allowance, LocaleTag } from '../../core/index.ts';
import type { ReportDefinition } from '../definition/definition.ts';
import type { ReportFacts } from '../definition/facts.ts';
import type { Period } from '../definition/period.ts';
import type { CubeReader, CubeRequest } from '../definition/port.ts';

export type BuildRequest = {
  readonly definition: ReportDefinition;
  readonly warehouse: CubeReader;
  readonly account: string;
  /** ISO 4217. */
  readonly currency: string;
  /** IANA name. */
  readonly zone: string;
  readonly period: Period;
  readonly facts: ReportFacts;
  /**
   * Begins the comparison that determines the reconciliation, beside the queries of the report; the facts then have none. The signal is
   * aborted when the queries have ended and only the comparison is waited for.
   */
  readonly compare?: (queried: AbortSignal) => Promise<ReportFacts['reconciliation']>;
  /** Returns the colour numbers of series, the same on every call; default: by rank in each chart. */
  readonly assignColours?: (names: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  /** Teams, budgets, prices, the moment of the run, and the part of the account that the report covers. */
  readonly deps?: Pick<CubeRequest, 'teams' | 'only' | 'prices' | 'budgets' | 'journal' | 'run'>;
  readonly locale?: LocaleTag | undefined;
  /** What a person accepts in a month that is closed. */
  readonly allow?: readonly Allowance[];
  /** Timeout of each query in milliseconds. */
  readonly timeLimit?: number;
  readonly signal?: AbortSignal | undefined;
};
