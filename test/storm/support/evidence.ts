import type { LedgerAttempt, LedgerRun } from '../../../src/storage/index.ts';
import { linesOf, type Run } from './daemon-run.ts';
import { chaosJobs, type StormFixture } from './chaos-fixture.ts';

type Outbox = Awaited<ReturnType<Awaited<ReturnType<StormFixture['openLedger']>>['outbox']['list']>>;

export type JobEvidence = {
  readonly job: (typeof chaosJobs)[number];
  /** By slot. */
  readonly runs: readonly LedgerRun[];
  /** By slot of their run, in order. */
  readonly attempts: ReadonlyMap<number, readonly LedgerAttempt[]>;
  /** `slot/attempt` of each line `run started`, of every process. */
  readonly begun: readonly string[];
  /** Slot of each line `run succeeded`. */
  readonly ended: readonly number[];
};

export type Evidence = {
  readonly jobs: readonly JobEvidence[];
  readonly outbox: Outbox;
  /** How many times each mail came, by Message-ID. */
  readonly mails: ReadonlyMap<string, number>;
  /** What the log in the warehouse adds up to, and what the gateway served for the same span. */
  readonly spend: { readonly landed: string; readonly true: string };
};

const maxRows = 1_000_000;

/** Everything that is known after the storm: the ledger's own account, and that of those who were outside. */
export const collectEvidence = async (fixture: StormFixture, lives: readonly Run[]): Promise<Evidence> => {
  await using warehouse = await fixture.openLedger();
  const lines = lives.flatMap(linesOf);
  const jobs: JobEvidence[] = [];
  for (const job of chaosJobs) {
    const runs = (await warehouse.runs.list({ job, limit: maxRows })).toReversed();
    const attempts = new Map<number, LedgerAttempt[]>();
    for (const attempt of await warehouse.runs.attempts(runs))
      attempts.set(attempt.slot, [...(attempts.get(attempt.slot) ?? []), attempt]);
    const own = lines.filter((line) => line.job === job);
    const slotOf = ({ slot = '' }: { readonly slot?: string }): number => Date.parse(slot);
    jobs.push({
      job,
      runs,
      attempts,
      begun: own
        .filter(({ message }) => message === 'run started')
        .map((line) => `${slotOf(line)}/${line.attempt ?? 1}`),
      ended: own.filter(({ message }) => message === 'run succeeded').map(slotOf),
    });
  }
  const mails = new Map<string, number>();
  for (const { parsed } of fixture.mails) {
    const id = parsed.messageId ?? '';
    mails.set(id, (mails.get(id) ?? 0) + 1);
  }
  const covered = await warehouse.logs.watermark('main');
  if (covered === undefined) throw new Error('nothing was pulled');
  const landed = await warehouse.spend('main', covered);
  return {
    jobs,
    mails,
    outbox: await warehouse.outbox.list(),
    spend: { landed: landed.served, true: fixture.truth.sums(covered.start, covered.end).quota },
  };
};
