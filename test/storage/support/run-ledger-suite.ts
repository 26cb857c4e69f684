import { describe, expect, it, onTestFinished } from 'vitest';
import type { LedgerRun, OutboxTable, RunLedger } from '../../../src/storage/index.ts';
import { at, cursorAt, missedAt, runAt } from '../ledger/ledger-support.ts';

export type OpenLedger = AsyncDisposable & { readonly runs: RunLedger; readonly outbox: OutboxTable };

/** What every run ledger must do, on any engine. */
export const describeLedger = (engine: string, open: () => Promise<OpenLedger>): void => {
  describe(`the run ledger ${engine}`, () => {
    /** A ledger that goes with the test. */
    const opened = async (): Promise<OpenLedger> => {
      const ledger = await open();
      onTestFinished(() => ledger[Symbol.asyncDispose]());
      return ledger;
    };
    const claimed = async (...runs: readonly LedgerRun[]): Promise<OpenLedger> => {
      const ledger = await opened();
      await ledger.runs.claim([{ runs }]);
      return ledger;
    };

    describe('a claim', () => {
      it('claims a slot once, moves the cursor with it, and keeps every field', async () => {
        const { runs } = await opened();
        const first = runAt('pull', 1000, { version: 3, trigger: 'catchup' });
        const range = missedAt('pull', 100, { through: at(900), interval: { start: at(100), end: at(900) } });
        expect(await runs.claim([{ cursor: cursorAt('pull', 1000), runs: [first, range] }])).toEqual([
          first,
          range,
        ]);
        const again = runAt('pull', 1000, { account: 'other' });
        const second = runAt('pull', 2000);
        expect(
          await runs.claim([{ cursor: cursorAt('pull', 2000, 2), runs: [again, second, second] }]),
        ).toEqual([second]);
        expect(await runs.cursors()).toEqual([cursorAt('pull', 2000, 2)]);
        expect(await runs.find(first)).toEqual(first);
        expect(await runs.list({ limit: 10 })).toEqual([second, first, range]);
      });

      it('does not change the cursor when it has none', async () => {
        const { runs } = await opened();
        await runs.claim([{ cursor: cursorAt('pull', 2000), runs: [] }]);
        await runs.claim([{ runs: [runAt('pull', 5000, { trigger: 'hand' })] }]);
        expect(await runs.cursors()).toEqual([cursorAt('pull', 2000)]);
      });
    });

    describe('a clock set back', () => {
      it('removes future slots that never ran, and claims them again in the same cycle', async () => {
        const ran = runAt('pull', 3000);
        const kept = [
          missedAt('pull', 1000),
          runAt('pull', 3500, { trigger: 'hand' }),
          runAt('pull', 3600, { trigger: 'backfill' }),
          runAt('pull', 3700, { trigger: 'needed' }),
          missedAt('other', 5000),
        ];
        const gone = [
          missedAt('pull', 2500),
          missedAt('pull', 4000, { state: 'skipped' }),
          runAt('pull', 4500, { trigger: 'catchup' }),
        ];
        const { runs } = await claimed(ran, ...kept, ...gone);
        await runs.begin([ran], at(3001));
        await runs.end([
          { job: 'pull', slot: at(3000), state: 'failed', at: at(3002), nextAttempt: at(9000) },
        ]);
        const again = [runAt('pull', 2500, { version: 2 }), runAt('pull', 3000, { version: 2 })];
        const fresh = await runs.claim([
          { cursor: cursorAt('pull', 2400, 2), runs: again, reopenedAfter: at(2400) },
        ]);
        expect(fresh).toEqual([again[0]]);
        expect((await runs.list({ limit: 20 })).map(({ slot, version }) => [slot, version])).toEqual([
          [5000, 1],
          [3700, 1],
          [3600, 1],
          [3500, 1],
          [3000, 1],
          [2500, 2],
          [1000, 1],
        ]);
        expect(await runs.cursors()).toEqual([cursorAt('pull', 2400, 2)]);
      });

      it('keeps the slot of the current moment and slots that ran, even abandoned ones', async () => {
        const gone = runAt('pull', 3000);
        const skipped = {
          slot: at(3000),
          job: 'pull',
          state: 'skipped',
          at: at(3500),
          reason: 'suspended',
        } as const;
        const { runs } = await claimed(missedAt('pull', 2000), gone);
        await runs.begin([gone], at(3001));
        await runs.end([{ ...gone, state: 'interrupted', at: at(3002), nextAttempt: at(9000) }]);
        await runs.close([{ ...skipped, code: 'aborted' }]);
        await runs.claim([{ cursor: cursorAt('pull', 2000), runs: [], reopenedAfter: at(2000) }]);
        expect(await runs.list({ limit: 9 })).toMatchObject([
          { slot: 3000, state: 'skipped', code: 'aborted', attempts: 1 },
          { slot: 2000, state: 'missed' },
        ]);
      });

      it('cuts an interval that extends past it', async () => {
        const range = missedAt('pull', 1000, { through: at(9000) });
        const { runs } = await claimed(range);
        await runs.claim([{ cursor: cursorAt('pull', 5000), runs: [], reopenedAfter: at(5000) }]);
        expect(await runs.find(range)).toEqual({ ...range, through: 5000 });
        await runs.claim([{ cursor: cursorAt('pull', 900), runs: [range], reopenedAfter: at(900) }]);
        expect(await runs.find(range)).toEqual(range);
      });
    });

    describe('an interval of missed slots', () => {
      it('gives its first slot to a requested run and keeps the rest', async () => {
        const range = missedAt('pull', 1000, { through: at(9000) });
        const { runs } = await claimed(range);
        expect(await runs.reopen(range, at(10_000))).toBeUndefined();
        expect(await runs.claim([{ runs: [runAt('pull', 1000)] }])).toEqual([]);
        const asked = runAt('pull', 1000, { trigger: 'backfill' });
        expect(await runs.claim([{ runs: [asked] }])).toEqual([asked]);
        expect(await runs.list({ limit: 10 })).toEqual([{ ...range, slot: 1001 }, asked]);
      });
    });

    describe('attempts', () => {
      it('start only for queued runs, all or none', async () => {
        const { runs } = await claimed(runAt('a', 1000), missedAt('b', 1000));
        await expect(runs.begin([runAt('a', 1000), runAt('b', 1000)], at(1001))).rejects.toMatchObject({
          code: 'warehouse-failed',
          message: expect.stringContaining('1 of 2 runs') as string,
        });
        expect(await runs.find(runAt('a', 1000))).toEqual(runAt('a', 1000));
        await runs.begin([runAt('a', 1000)], at(1001));
        await expect(runs.begin([runAt('a', 1000)], at(1002))).rejects.toThrow('no longer queued');
        expect(await runs.attempts([runAt('a', 1000)])).toHaveLength(1);
      });

      it('can start again only after the run has ended', async () => {
        const missed = missedAt('pull', 1000);
        const { runs } = await claimed(missed, runAt('pull', 2000));
        expect(await runs.reopen({ job: 'none', slot: at(1) }, at(1))).toBeUndefined();
        expect(await runs.reopen(runAt('pull', 2000), at(5000))).toBeUndefined();
        const { endedAt: _, reason: __, ...rest } = missed;
        const reopened = { ...rest, state: 'queued', nextAttempt: 5000 };
        expect(await runs.reopen(missed, at(5000))).toEqual(reopened);
        expect(await runs.find(missed)).toEqual(reopened);
      });
    });

    it('closes queued runs and no others', async () => {
      const { runs } = await claimed(runAt('a', 1), runAt('b', 1), runAt('c', 1), missedAt('d', 1));
      await runs.begin([runAt('b', 1), runAt('c', 1)], at(2));
      await runs.end([{ job: 'c', slot: at(1), state: 'failed', at: at(3), nextAttempt: at(9) }]);
      const closing = { slot: at(1), at: at(4), reason: 'suspended' };
      await runs.close(['a', 'b', 'c', 'd'].map((job) => ({ ...closing, job, state: 'skipped' as const })));
      expect((await runs.list({ limit: 9 })).map(({ job, state, reason }) => [job, state, reason])).toEqual([
        ['a', 'skipped', 'suspended'],
        ['b', 'running', undefined],
        ['c', 'skipped', 'suspended'],
        ['d', 'missed', 'no daemon was running'],
      ]);
      expect(await runs.find(runAt('c', 1))).toMatchObject({ attempts: 1, endedAt: 4 });
    });

    it('lists runs by job and state, newest first', async () => {
      const { runs } = await claimed(...[1, 2, 3].flatMap((slot) => [runAt('a', slot), missedAt('b', slot)]));
      const slots = async (query: Parameters<typeof runs.list>[0]) =>
        (await runs.list(query)).map(({ job, slot }) => `${job}${slot}`);
      expect(await slots({ job: 'a', limit: 2 })).toEqual(['a3', 'a2']);
      expect(await slots({ states: ['missed', 'ok'], limit: 2 })).toEqual(['b3', 'b2']);
      expect(await slots({ states: [], limit: 2 })).toEqual([]);
      expect(await slots({ job: 'a', states: ['missed'], limit: 2 })).toEqual([]);
    });

    it('keeps the event of a run until it is noted, in one step with outages and mails', async () => {
      const [first, second] = [runAt('a', 1000), runAt('b', 1000)];
      const { runs, outbox } = await claimed(first, second, missedAt('c', 900, { event: 'missed' }));
      await runs.begin([{ ...first, late: 'data of pull is late' }, second], at(1100));
      expect(await runs.events()).toMatchObject([
        { job: 'c', event: 'missed' },
        { job: 'a', event: 'late', reason: 'data of pull is late' },
      ]);
      await runs.end([
        { job: 'a', slot: at(1000), state: 'ok', at: at(1200) },
        { job: 'b', slot: at(1000), state: 'failed', at: at(1150), nextAttempt: at(1500) },
      ]);
      const reason = 'given up';
      await runs.close([
        { job: 'b', slot: at(1000), state: 'failed', at: at(1160), reason, event: 'failed' },
      ]);
      expect((await runs.events()).map(({ job, event }) => `${job} ${event}`)).toEqual([
        'c missed',
        'b failed',
        'a late',
      ]);
      const mail = {
        account: '',
        kind: 'notice',
        subject: 's',
        recipient: 'ops@example.com',
        sender: 'reports@example.com',
        messageId: '<1@example.com>',
        file: 'a.eml',
        queuedAt: at(1200),
      };
      const outage = { job: 'b', slot: at(1000), openedAt: at(1160) };
      await runs.noteOutages({ opened: [outage], closed: [], noted: [first, second], mails: [mail] });
      expect((await runs.events()).map(({ job }) => job)).toEqual(['c']);
      expect(await runs.outages()).toEqual([outage]);
      expect((await outbox.list({ kind: 'notice' })).map(({ file }) => file)).toEqual(['a.eml']);
    });

    it('names the last failure of a job until a later run of it succeeds', async () => {
      const [old, failed, good] = [runAt('pull', 1000), runAt('pull', 2000), runAt('pull', 1500)];
      const { runs } = await claimed(old, failed, good);
      const failures = async () => (await runs.failures()).map(({ slot }) => slot);
      const end = async (run: LedgerRun, state: 'ok' | 'failed', moment: number): Promise<void> => {
        await runs.begin([run], at(moment - 1));
        await runs.end([{ job: 'pull', slot: run.slot, state, at: at(moment) }]);
      };
      await end(old, 'ok', 2100);
      await end(failed, 'failed', 2200);
      expect(await failures()).toEqual([2000]);
      await end(good, 'ok', 2300);
      expect(await failures()).toEqual([]);
    });

    it('counts the attempts of each run that an ordered stop ended, from run to run', async () => {
      const [often, once, never] = [runAt('pull', 1000), runAt('pull', 2000), runAt('other', 1000)];
      const { runs } = await claimed(often, once, never);
      const end = async ({ job, slot }: LedgerRun, code: string): Promise<void> => {
        await runs.begin([{ job, slot }], at(3000));
        await runs.end([{ job, slot, state: 'interrupted', at: at(3001), code, nextAttempt: at(3001) }]);
      };
      for (const code of ['run-stopped', 'process-ended', 'run-stopped']) await end(often, code);
      await end(once, 'run-stopped');
      await end(never, 'aborted');
      expect(await runs.orderedStops()).toEqual([
        { job: 'pull', slot: 1000, stops: 2 },
        { job: 'pull', slot: 2000, stops: 1 },
      ]);
    });

    it('notes why attempts ended whose process could not record it, and changes no other', async () => {
      const [left, killed, failed] = [runAt('left', 1000), runAt('killed', 1000), runAt('failed', 1000)];
      const { runs } = await claimed(left, killed, failed);
      await runs.begin([left, killed, failed], at(1001));
      const ended = { slot: at(1000), at: at(1002), nextAttempt: at(1003) } as const;
      await runs.end([
        { ...ended, job: 'killed', state: 'interrupted', code: 'process-ended' },
        { ...ended, job: 'failed', state: 'failed', code: 'gateway-unreachable' },
      ]);
      await runs.begin([killed], at(1004));
      expect(await runs.processEnds()).toEqual(new Map([['killed', 1]]));
      await runs.noteEnds(
        ['left', 'killed', 'failed'].map((job) => ({ job, slot: at(1000), attempt: 1, code: 'lease-lost' })),
      );
      expect(await runs.processEnds()).toEqual(new Map());
      const attempts = await runs.attempts([left, killed, failed]);
      expect(attempts.map(({ job, attempt, state, code }) => [job, attempt, state, code])).toEqual([
        ['failed', 1, 'failed', 'gateway-unreachable'],
        ['killed', 1, 'interrupted', 'lease-lost'],
        ['killed', 2, 'running', undefined],
        ['left', 1, 'running', 'lease-lost'],
      ]);
      await runs.end([{ ...ended, job: 'left', state: 'ok' }]);
      expect((await runs.attempts([left]))[0]).not.toHaveProperty('code');
    });

    it('names the first slot of each job that no run ever began', async () => {
      const ran = runAt('ran', 1000);
      const { runs } = await claimed(
        missedAt('ran', 900),
        ran,
        missedAt('missed', 2000),
        missedAt('missed', 1500),
        runAt('waiting', 1000),
        runAt('waiting', 3000),
        runAt('delayed', 1000, { nextAttempt: at(5000) }),
        missedAt('suspended', 1000, { state: 'skipped' }),
      );
      await runs.begin([ran], at(1100));
      expect(await runs.neverRan(at(2000))).toEqual(
        new Map([
          ['missed', at(1500)],
          ['waiting', at(1000)],
        ]),
      );
    });

    it('counts the runs of each job by span and state', async () => {
      const good = runAt('a', 1500);
      const { runs } = await claimed(
        runAt('a', 1000),
        good,
        runAt('a', 2999),
        runAt('a', 3000),
        missedAt('b', 500, { through: at(2500) }),
        missedAt('b', 999),
      );
      await runs.begin([good], at(1600));
      await runs.end([{ job: 'a', slot: good.slot, state: 'ok', at: at(1700) }]);
      const span = (start: number, end: number) => ({ start: at(start), end: at(end) });
      expect(await runs.outcomes([span(1000, 2000), span(2000, 3000)])).toEqual([
        { job: 'a', span: 0, state: 'ok', runs: 1 },
        { job: 'a', span: 0, state: 'queued', runs: 1 },
        { job: 'a', span: 1, state: 'queued', runs: 1 },
        { job: 'b', span: 0, state: 'missed', runs: 1 },
        { job: 'b', span: 1, state: 'missed', runs: 1 },
      ]);
      expect(await runs.outcomes([])).toEqual([]);
    });

    it('deletes cursors, records outages and trims ended runs', async () => {
      const old = missedAt('a', 1000);
      const reaching = missedAt('a', 500, { through: at(5000) });
      const waiting = runAt('a', 1500);
      const ran = runAt('b', 1200);
      const { runs } = await claimed(old, reaching, waiting, ran, missedAt('a', 6000));
      await runs.claim([
        { cursor: cursorAt('a', 1), runs: [] },
        { cursor: cursorAt('b', 1), runs: [] },
      ]);
      await runs.forget(['a', 'none']);
      expect(await runs.cursors()).toEqual([cursorAt('b', 1)]);

      const outage = (job: string, slot: number) => ({ job, slot: at(slot), openedAt: at(slot + 1) });
      const none = { noted: [], mails: [] };
      await runs.noteOutages({ opened: [outage('a', 1), outage('b', 2)], closed: ['c'], ...none });
      await runs.noteOutages({ opened: [outage('a', 3), outage('b', 4)], closed: ['a'], ...none });
      expect(await runs.outages()).toEqual([outage('a', 3), outage('b', 2)]);

      await runs.begin([ran], at(1201));
      expect(await runs.trim(at(5000))).toBe(1);
      await runs.end([{ job: 'b', slot: at(1200), state: 'ok', at: at(1300) }]);
      expect(await runs.attempts([ran])).toHaveLength(1);
      expect(await runs.trim(at(5001))).toBe(2);
      expect(await runs.attempts([ran])).toEqual([]);
      expect((await runs.list({ limit: 9 })).map(({ slot }) => slot)).toEqual([6000, 1500]);
    });
  });
};
