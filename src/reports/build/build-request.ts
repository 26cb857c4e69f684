import type { LocaleTag } from '../../core/index.ts';
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
  /** Gives the numbers of the colours of series, the same ones whenever it is asked; by rank in each chart when left out. */
  readonly assignColours?: (names: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  /** Teams, budgets, prices, the moment of the run, and what of the account the report is about. */
  readonly deps?: Pick<CubeRequest, 'teams' | 'only' | 'prices' | 'budgets' | 'run'>;
  readonly locale?: LocaleTag | undefined;
  /** Milliseconds for each query. */
  readonly timeLimit?: number;
  readonly signal?: AbortSignal | undefined;
};
