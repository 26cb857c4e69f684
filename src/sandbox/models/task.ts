export type Outcome = 'success' | 'failure' | 'cancel' | 'endless';

/** A submitted task. Its state is a function of the clock alone. */
export type Task = {
  readonly id: string;
  readonly kind: 'image' | 'music';
  /** `IMAGINE`, `UPSCALE`, `UPLOAD` … */
  readonly action: string;
  /** Milliseconds of the gateway's clock. */
  readonly submittedAt: number;
  readonly outcome: Outcome;
  readonly seed: number;
  readonly prompt: string;
  readonly botType: string;
  readonly state: string;
  readonly hook: string;
  /** Prefix of the links in its record. */
  readonly origin: string;
  readonly width: number;
  readonly height: number;
  readonly clip: string;
};
