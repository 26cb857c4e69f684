import type { UnixMillis } from '../../core/index.ts';
import type { ArchivedMonth } from './archive-rows.ts';
import type { DamagedFile } from './archive-files.ts';
import type { ArchivePolicy, PlannedMonth } from './plan-archive.ts';
import type { OnArchiveStep } from './write-month.ts';

export type ArchivePlan = {
  /** The oldest first. */
  readonly months: readonly PlannedMonth[];
  /** Months whose rows are in the archive alone. */
  readonly kept: readonly ArchivedMonth[];
  /** Of those, the ones whose file is missing or not as it was written. */
  readonly damaged: readonly DamagedFile[];
};

export type ArchiveRequest = ArchivePolicy & {
  readonly account: string;
  /** Told of each month before work on it begins: its place in the plan, and the bytes written so far. */
  readonly onMonth?: (index: number, plan: readonly PlannedMonth[], bytes: number) => void;
  readonly onStep?: OnArchiveStep;
  readonly signal?: AbortSignal | undefined;
};

export type ArchiveOutcome = {
  /** Months written and verified, with their rows and the bytes of their files. */
  readonly written: number;
  readonly rows: number;
  readonly bytes: number;
  /** Months whose rows left the table, and those rows. */
  readonly left: number;
  readonly leftRows: number;
  /** Months that the archive alone has, all of them read again and found as they were written. */
  readonly kept: number;
};

export type ArchiveTable = {
  /** What a run would do now; reads every file, writes nothing. */
  readonly plan: (account: string, policy: ArchivePolicy, now: UnixMillis) => Promise<ArchivePlan>;
  /**
   * Writes months that are over and settled as Parquet files, verified, and takes those older than `retain` out of the
   * table. Reads every file there is; a damaged copy is written again, and a damaged file that alone has its rows fails the
   * run after all else is done. @throws faults archive-damaged, archive-unverified, disk-full, path-unwritable.
   */
  readonly run: (request: ArchiveRequest) => Promise<ArchiveOutcome>;
  /** The months of an account that have a file, the oldest first. */
  readonly months: (account: string) => Promise<readonly ArchivedMonth[]>;
  /** Reads every file of the account; gives those that are missing or not as they were written. */
  readonly verify: (account: string) => Promise<readonly DamagedFile[]>;
};
