import type { Interval, LocalDate, UnixMillis, UnixSeconds } from '../core/index.ts';
import type { KnownGap, LearnedChange } from '../warehouse/index.ts';

type JobState = 'failed' | 'suspended' | 'missed' | 'late' | 'recovered';

export type LearnedFinding = { readonly heading: string; readonly seen: string; readonly toDo: string };

/** `at` writes a moment in UTC. */
export type WriteFinding<Change> = (change: Change, at: (moment: UnixMillis) => string) => LearnedFinding;

/** The texts of mails to operators: outages of jobs, the call log, the configuration, Admin Keys. */
export type OutageTexts = {
  readonly at: (moment: UnixMillis, zone: string) => string;
  /** `from … to …` */
  readonly range: (range: Interval<UnixSeconds>, zone: string) => string;
  /** `… to …` */
  readonly period: (range: Interval<UnixSeconds>, zone: string) => string;
  readonly job: Readonly<Record<JobState, (job: string) => string>>;
  readonly jobs: Readonly<Record<JobState, (count: number) => string>>;
  readonly manualRun: (command: string) => string;
  readonly details: (job: string) => string;
  /** `isMailed`: the end of the outage causes a mail. */
  readonly noFurther: (job: string, isMailed: boolean) => string;
  readonly closingOfMany: readonly string[];
  readonly adminKey: {
    readonly title: (account: string, days: number) => string;
    readonly what: (issued: LocalDate, due: LocalDate) => string;
    readonly toDo: string;
    readonly closing: string;
  };
  readonly config: {
    readonly title: (faults: number) => string;
    readonly closing: (at: string) => readonly string[];
  };
  readonly gap: {
    readonly title: (account: string, isShort: boolean) => string;
    readonly heading: (gap: KnownGap) => string;
    readonly found: (gap: KnownGap) => string;
    /** `again` is the command that pulls the range again, if a job does. */
    readonly short: (compare: string, again: string | undefined) => string;
    readonly differs: (compare: string) => string;
    readonly closing: readonly string[];
  };
  readonly late: {
    readonly title: (account: string, range: string) => string;
    readonly what: (sum: string, pulls: number) => string;
    readonly toDo: string;
    readonly closing: string;
  };
  readonly learned: {
    readonly title: (account: string, changes: string) => string;
    readonly counts: Readonly<Record<LearnedChange['topic'], (count: number) => string>>;
    readonly changes: {
      readonly [Topic in LearnedChange['topic']]: WriteFinding<LearnedChange & { readonly topic: Topic }>;
    };
    readonly closing: readonly string[];
  };
};
