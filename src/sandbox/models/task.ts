export type Outcome = 'success' | 'failure' | 'cancel' | 'endless';

/** Milliseconds after the submission at which a task changes, its new status, and its progress in percent. */
export type Step = readonly [after: number, status: string, progress: number];

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
