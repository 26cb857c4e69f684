/** The progress of a long step, as figures only; the display adds the text. */
export type ProgressStep = {
  /** The current work, in the user's terms: `pulling call logs`. */
  readonly step: string;
  /** Completed parts and total parts, if known: windows, bytes, mails. */
  readonly done?: number;
  readonly total?: number | undefined;
  readonly rows?: number;
  readonly bytes?: number;
  /** Over the last seconds. */
  readonly rowsPerSecond?: number;
  readonly bytesPerSecond?: number;
  /** Milliseconds, estimated from the completed parts. */
  readonly millisLeft?: number;
  /** The current part: `2026-01-01 to 2026-02-01`. */
  readonly detail?: string | undefined;
};

export type Progress = (step: ProgressStep) => void;

export const noProgress: Progress = () => undefined;
