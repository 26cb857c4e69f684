/**
 * Something that happened in the process and is counted or traced. Its texts come from the configuration and the program, never
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
      /** Method and path, with names in place of ids: `GET /api/token/{id}`. */
      readonly endpoint: string;
      /** Of the gateway: `https://host`. */
      readonly origin: string;
      /** Of the answer, if there is one. */
      readonly status?: number | undefined;
      readonly outcome: string;
      readonly seconds: number;
    }
  | { readonly what: 'mail-attempt'; readonly route: string; readonly outcome: string };

/** Never throws. */
export type Measure = (measurement: Measurement) => void;
