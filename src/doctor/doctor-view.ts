import type { UnixMillis } from '../core/index.ts';
import type { KnownPoint, LearnedPoint, PastPoint } from '../warehouse/index.ts';

/** All accounts, or one; `probeKeys` creates a temporary key at each gateway, `rebuild` builds the rollup again. */
export type DoctorRequest = {
  readonly account?: string | undefined;
  readonly probeKeys?: boolean | undefined;
  readonly rebuild?: boolean | undefined;
};

export type DoctorCheck = {
  /** `scope logs:read of main`. */
  readonly about: string;
  /** `skipped`: the check was impossible, or there is nothing to check. `warning`: it works, but is unsafe. */
  readonly state: 'ok' | 'failed' | 'skipped' | 'warning';
  readonly message: string;
  /** What to do about a failure or a warning, or about one that occurs once a job applies its plans. */
  readonly advice?: string | undefined;
  readonly code?: string | undefined;
};

export type LearnedView = {
  readonly account: string;
  readonly points: readonly (LearnedPoint & Partial<Pick<KnownPoint, 'learnedAt' | 'confirmedAt'>>)[];
  readonly past: readonly PastPoint[];
  readonly goneColumns: readonly { readonly name: string; readonly goneAt: UnixMillis }[];
  /** Gateway settings in YAML, which override observations. */
  readonly overrides: readonly { readonly setting: string; readonly value: string }[];
};

export type DoctorView = {
  readonly version: string;
  readonly zone: string;
  readonly now: UnixMillis;
  readonly checks: readonly DoctorCheck[];
  readonly learned: readonly LearnedView[];
};
