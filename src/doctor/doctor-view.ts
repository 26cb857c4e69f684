import type { UnixMillis } from '../core/index.ts';
import type { KnownPoint, LearnedPoint, PastPoint } from '../warehouse/index.ts';

/** All accounts, or one; with `probeKeys` a temporary key is made at each gateway. */
export type DoctorRequest = {
  readonly account?: string | undefined;
  readonly probeKeys?: boolean | undefined;
};

/** One real thing that was tried. */
export type DoctorCheck = {
  /** `scope logs:read of main`. */
  readonly about: string;
  /** `skipped`: it could not be tried, or there is nothing to try. */
  readonly state: 'ok' | 'failed' | 'skipped';
  readonly message: string;
  /** What to do, of a thing that failed or that will fail once a job applies its plans. */
  readonly advice?: string | undefined;
  readonly code?: string | undefined;
};

/** What was learned of an account's gateway. */
export type LearnedView = {
  readonly account: string;
  readonly points: readonly (LearnedPoint & Partial<Pick<KnownPoint, 'learnedAt' | 'confirmedAt'>>)[];
  /** What was taken of points before. */
  readonly past: readonly PastPoint[];
  readonly goneColumns: readonly { readonly name: string; readonly goneAt: UnixMillis }[];
  /** What the YAML says of the gateway, which goes before what the data show. */
  readonly overrides: readonly { readonly setting: string; readonly value: string }[];
};

export type DoctorView = {
  readonly version: string;
  /** Of times in text. */
  readonly zone: string;
  readonly now: UnixMillis;
  readonly checks: readonly DoctorCheck[];
  readonly learned: readonly LearnedView[];
};
