export type Outcome = 'success' | 'failure' | 'cancel' | 'endless';

/** A task as it was submitted. What has become of it follows from the clock alone. */
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
  /** Where links of its record begin. */
  readonly origin: string;
  readonly width: number;
  readonly height: number;
  /** The songs it was made of. */
  readonly clip: string;
};
