import type { UnixMillis } from '../../core/index.ts';
import type { ArchivedMonth } from './archive-rows.ts';
import type { DamagedFile } from './archive-files.ts';
import type { ArchivePolicy, PlannedMonth } from './plan-archive.ts';
import type { OnArchiveStep } from './write-month.ts';

export type ArchivePlan = {
  /** Oldest first. */
  readonly months: readonly PlannedMonth[];
  /** Months whose rows are only in the archive. */
  readonly kept: readonly ArchivedMonth[];
  /** Those of `kept` whose file is missing or differs from what was written. */
  readonly damaged: readonly DamagedFile[];
};

export type ArchiveRequest = ArchivePolicy & {
  readonly account: string;
  /** Called before work on each month begins, with its index in the plan and the bytes written so far. */
  readonly onMonth?: (index: number, plan: readonly PlannedMonth[], bytes: number) => void;
  readonly onStep?: OnArchiveStep;
  readonly signal?: AbortSignal | undefined;
};

export type ArchiveOutcome = {
  /** Months written and verified, with their rows and the bytes of their files. */
  readonly written: number;
  readonly rows: number;
  readonly bytes: number;
  /** Months whose rows left the table, and the number of these rows. */
  readonly left: number;
  readonly leftRows: number;
  /** Months that only the archive contains; all were read again and are intact. */
  readonly kept: number;
};

export type ArchiveTable = {
  /** What a run would do now. Reads every file and writes nothing. */
  readonly plan: (account: string, policy: ArchivePolicy, now: UnixMillis) => Promise<ArchivePlan>;
  /**
   * Writes months that are over and settled as verified Parquet files, and removes those older than `retain` from the
   * table. Reads every file: a damaged copy is written again; a damaged file that alone contains its rows fails the run
   * after all other work. @throws faults archive-damaged, archive-unverified, disk-full, path-unwritable.
   */
  readonly run: (request: ArchiveRequest) => Promise<ArchiveOutcome>;
  /** The months of an account that have a file, oldest first. */
  readonly months: (account: string) => Promise<readonly ArchivedMonth[]>;
  /** Reads every file of the account; returns those that are missing or differ from what was written. */
  readonly verify: (account: string) => Promise<readonly DamagedFile[]>;
};
