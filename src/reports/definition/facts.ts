import type { UnixSeconds } from '../../core/index.ts';

/** What the run knows about the data that a report is built from. */
export type ReportFacts = {
  /** The data is complete up to here; nothing has been pulled when it is left out. */
  readonly dataThrough?: UnixSeconds;
  /** The data begins here; what lies before is missing, not zero. */
  readonly dataSince?: UnixSeconds;
  /** How the sums compare with the gateway's own statistics; `text` is a sentence. */
  readonly reconciliation?: { readonly verdict: string; readonly text: string; readonly good: boolean };
  /** The report is about a part of the account: what the reconciliation says of the whole is not for its readers. */
  readonly ofPart?: boolean;
  readonly runId: string;
  /** Sentences. */
  readonly warnings: readonly string[];
};
