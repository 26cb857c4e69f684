import type { Progress } from '../../core/index.ts';
import type { Keep } from '../../backup/index.ts';
import type { Drilled } from '../../warehouse/index.ts';

export type BackupRequest = {
  /** Relative paths start at the working directory. */
  readonly target: string;
  /** age public keys of those who can decrypt it; plain without any. */
  readonly recipients?: readonly string[] | undefined;
};

export type BackupResult = {
  /** An absolute path. */
  readonly target: string;
  readonly isFile: boolean;
  readonly isEncrypted: boolean;
  /** Of the backup in the folder, such as `20261126T090000Z`. */
  readonly name: string;
  /** ISO 8601, UTC: the moment of all its files. */
  readonly at: string;
  readonly files: number;
  readonly bytes: number;
  /** Bytes that the target did not have. */
  readonly newBytes: number;
  /** The longest time for which the rest of the program waited, in milliseconds. */
  readonly heldFor: number;
  /** An encrypted backup is restored and compared before it is encrypted. */
  readonly drill?: Drilled;
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
  /** Deletes the backups that are not to be kept, and what only they use. The zone decides where days begin. */
  readonly prune: (
    target: string,
    keep: Keep,
    zone: string,
  ) => Promise<{ readonly removed: readonly string[]; readonly freedBytes: number }>;
  /**
   * Restores the newest backup of the target into a temporary folder, and compares it with its manifest.
   * @throws faults backup-damaged, those of a store
   */
  readonly drill: (target: string, progress: Progress, signal: AbortSignal) => Promise<DrillResult>;
};
