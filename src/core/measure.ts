/**
 * Something that happened in the process and is counted. Its texts come from the configuration and the program, never
 * from an answer, so that their number is bounded.
 */
export type Measurement =
  /** A run has ended, and no attempt follows. `seconds` are those of its last attempt, if it had one. */
  | {
      readonly what: 'run-ended';
      readonly kind: string;
      readonly state: string;
      readonly seconds?: number | undefined;
    }
  | {
      readonly what: 'pulled';
      readonly job: string;
      readonly kind: string;
      readonly rows: number;
      readonly bytes: number;
    }
  /** `outcome`: `ok`, `aborted` or the code of the error. */
  | {
      readonly what: 'gateway-call';
      readonly endpoint: string;
      readonly outcome: string;
      readonly seconds: number;
    }
  | { readonly what: 'mail-attempt'; readonly route: string; readonly outcome: string };

/** Never throws. */
export type Measure = (measurement: Measurement) => void;
