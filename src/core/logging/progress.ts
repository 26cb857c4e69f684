/** How far a long step has come: figures only, said in words by whoever shows it. */
export type ProgressStep = {
  /** What is being done, in the user's words: `pulling call logs`. */
  readonly step: string;
  /** Parts done and parts in all, where that is known: windows, bytes, mails. */
  readonly done?: number;
  readonly total?: number | undefined;
  readonly rows?: number;
  readonly bytes?: number;
  /** Of the last seconds. */
  readonly rowsPerSecond?: number;
  readonly bytesPerSecond?: number;
  /** Milliseconds, as far as the parts that are done tell. */
  readonly millisLeft?: number;
  /** Which part it is at: `2026-01-01 to 2026-02-01`. */
  readonly detail?: string | undefined;
};

export type Progress = (step: ProgressStep) => void;

export const noProgress: Progress = () => undefined;
