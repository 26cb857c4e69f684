import type { Progress } from '../../core/index.ts';
import type { Drilled } from '../../warehouse/index.ts';

export type BackupRequest = {
  /** Relative paths start at the working directory. */
  readonly target: string;
};

export type BackupResult = {
  /** An absolute path. */
  readonly target: string;
  /** Of the backup in the folder, such as `20261126T090000Z`. */
  readonly name: string;
  /** ISO 8601, UTC: the moment of all its files. */
  readonly at: string;
  readonly files: number;
  readonly bytes: number;
  /** Bytes that the target did not have. */
  readonly newBytes: number;
  /** Milliseconds for which the rest of the program waited. */
  readonly heldFor: number;
};

export type DrillResult = {
  readonly target: string;
  readonly name: string;
  /** `restored`: restored and equal. `compared`: only the checksums of an encrypted backup. */
  readonly drill: Drilled;
  readonly files: number;
};

/** Backups of everything that is stored. */
export type Backups = {
  /** One at a time. @throws faults backup-inside, those of a store */
  readonly take: (request: BackupRequest, progress: Progress, signal: AbortSignal) => Promise<BackupResult>;
  /**
   * Restores the newest backup of the target into a temporary folder, and compares it with its manifest.
   * @throws faults backup-damaged, those of a store
   */
  readonly drill: (target: string, progress: Progress, signal: AbortSignal) => Promise<DrillResult>;
};
