import type { UnixSeconds } from '../../core/index.ts';
import type { Assessment } from '../../monitoring/index.ts';

/** What the run knows about the data of a report. */
export type ReportFacts = {
  /** The watermark of the data; omitted before the first pull. */
  readonly dataThrough?: UnixSeconds;
  /** The start of the data; earlier data is missing, not zero. */
  readonly dataSince?: UnixSeconds;
  /** How the sums compare with the gateway's own statistics; `text` is a sentence. */
  readonly reconciliation?: { readonly verdict: string; readonly text: string; readonly good: boolean };
  /** The report covers a part of the account: its readers do not see the reconciliation of the whole. */
  readonly ofPart?: boolean;
  /** The report selects nothing that is known, and why, as a clause: then it shows no total, nor a verdict on it. */
  readonly selectsNothing?: string | undefined;
  readonly runId: string;
  /** Budgets at the end of the period, for sections that show them. */
  readonly budgets?: readonly Assessment[];
  /** Sentences. */
  readonly warnings: readonly string[];
};
