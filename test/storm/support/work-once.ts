import { expect, it } from 'vitest';
import { chaosJobs, slotLength } from './chaos-fixture.ts';
import type { Run } from './daemon-run.ts';
import type { Evidence, JobEvidence } from './evidence.ts';
import { twice } from './twice.ts';

export const jobOf = ({ jobs }: Evidence, job: string): JobEvidence => {
  const found = jobs.find((one) => one.job === job);
  if (found === undefined) throw new Error(`there is no job ${job}`);
  return found;
};

const served = (lives: readonly Run[]): readonly Run[] =>
  lives
    .filter(({ servedAt }) => servedAt !== undefined)
    .toSorted((a, b) => (a.servedAt ?? 0) - (b.servedAt ?? 0));

/** Runs that the last daemon had the time to end. */
export const settledRuns = ({ runs }: JobEvidence, lives: readonly Run[]) => {
  const last = served(lives).at(-1)?.servedAt ?? 0;
  return runs.filter(({ slot }) => slot < last);
};

/** Tests of what daemons that died at any moment must have done, with the evidence that their `beforeAll` collects. */
export const expectWorkOnce = (
  played: () => { readonly evidence: Evidence; readonly lives: readonly Run[] },
  mayFailWith: readonly string[] = [],
): void => {
  const ofJob = (job: string): JobEvidence => jobOf(played().evidence, job);
  const settled = (job: JobEvidence) => settledRuns(job, played().lives);

  it.each(chaosJobs)('lose and duplicate no slot of %s', (job) => {
    const { lives } = played();
    const lastEnd = Math.max(...lives.map(({ diedAt = 0 }) => diedAt));
    // A daemon that stops claims nothing more, and may take some seconds to end on a busy machine.
    const lastStop = Math.max(...lives.map(({ diedAt = 0, stoppedAt = diedAt }) => stoppedAt));
    const { runs } = ofJob(job);
    const slots = runs.flatMap(({ slot, through = slot }) =>
      Array.from({ length: (through - slot) / slotLength + 1 }, (_, index) => slot + index * slotLength),
    );
    const [first = 0, last = 0] = [slots[0], slots.at(-1)];
    expect(slots).toEqual(
      Array.from({ length: (last - first) / slotLength + 1 }, (_, index) => first + index * slotLength),
    );
    // As many slots as went by: from the first daemon that served to the last that was stopped.
    expect(first).toBeLessThanOrEqual((served(lives)[0]?.servedAt ?? 0) + slotLength);
    expect(last).toBeGreaterThan(lastStop - slotLength - 2000);
    expect(last).toBeLessThanOrEqual(lastEnd);
  });

  it.each(chaosJobs)('do the work of each slot of %s once, and only recorded work', (job) => {
    const { runs, attempts, begun, ended } = ofJob(job);
    const kills = played().lives.length;
    // No attempt starts twice, and no slot succeeds twice.
    expect(twice(begun)).toEqual([]);
    expect(twice(ended)).toEqual([]);
    const written = new Set(
      [...attempts].flatMap(([slot, own]) => own.map((one) => `${slot}/${one.attempt}`)),
    );
    expect(begun.filter((one) => !written.has(one))).toEqual([]);
    // A kill may come between the write to the ledger and the log line about it.
    const pending = written.size - begun.length;
    expect(pending).toBeLessThanOrEqual(kills);
    const good = new Set(runs.filter(({ state }) => state === 'ok').map(({ slot }) => Number(slot)));
    expect(ended.filter((slot) => !good.has(slot))).toEqual([]);
    expect(good.size - ended.length).toBeLessThanOrEqual(kills);
    for (const { slot, state, attempts: number } of runs) {
      const own = attempts.get(slot) ?? [];
      expect(own.map(({ attempt }) => attempt)).toEqual(
        Array.from({ length: number }, (_, index) => index + 1),
      );
      const others = own.slice(0, -1).filter((one) => one.state !== 'interrupted');
      expect(others.filter(({ code = '' }) => !mayFailWith.includes(code))).toEqual([]);
      if (own.length > 0) expect([state, own.at(-1)?.state]).toEqual([state, state]);
      else expect(['missed', 'skipped', 'queued']).toContain(state);
    }
  });

  it('mail each successful slot once according to the mail server', () => {
    const { outbox, mails } = played().evidence;
    // What was in doubt is sent again after some minutes, with the same Message-ID.
    const most = new Map(outbox.map(({ messageId, doubts }) => [messageId, 1 + doubts]));
    expect([...mails].filter(([id, times]) => times > (most.get(id) ?? 0))).toEqual([]);
    const byKey = new Map(outbox.map((row) => [`${row.kind} ${row.subject}`, row]));
    expect(byKey.size).toBe(outbox.length);
    for (const job of ['mail-all', 'mail-latest']) {
      const runs = new Map(ofJob(job).runs.map((run) => [new Date(run.slot).toISOString(), run]));
      for (const run of settled(ofJob(job)).filter(({ state }) => state === 'ok')) {
        const row = byKey.get(`report:${job} ${new Date(run.slot).toISOString()}`);
        expect([run.slot, row?.state]).toEqual([run.slot, expect.stringMatching(/^(sent|unknown)$/)]);
        if (row?.state === 'sent') expect(mails.get(row.messageId)).toBeGreaterThan(0);
      }
      // No mail without a run that the ledger knows.
      for (const row of outbox.filter(({ kind }) => kind === `report:${job}`))
        expect(runs.get(row.subject)?.attempts).toBeGreaterThan(0);
    }
    const known = new Set(outbox.map(({ messageId }) => messageId));
    expect([...mails.keys()].filter((id) => !known.has(id))).toEqual([]);
  });

  it('land what the gateway served exactly once', () => {
    const { spend } = played().evidence;
    expect(spend.landed).toBe(spend.true);
  });
};
