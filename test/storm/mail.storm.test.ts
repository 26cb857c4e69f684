import { expect, it } from 'vitest';
import { expectMailOnce, playKilledSenders } from '../notify/support/killed-senders.ts';

const rounds = process.env['TOLLKEEPER_MAIL_ROUNDS'] ?? process.env['TOLLKEEPER_STORM_ROUNDS'] ?? 100;
const count = Math.max(1, Number(rounds));
const seed = Number(process.env['TOLLKEEPER_STORM_SEED'] ?? Date.now() % 2 ** 31);

it(
  'a mail arrives once, twice only when process or connection ended after the final dot, and never only when that is reported',
  { timeout: 120_000 + count * 30_000 },
  async () => {
    process.stdout.write(`storm of ${count} killed senders, TOLLKEEPER_STORM_SEED=${seed}\n`);
    const outcome = await playKilledSenders({
      count,
      seed,
      onRound: (done) =>
        void (done % 20 === 0 && process.stdout.write(`storm: ${done} senders of ${count}\n`)),
    });
    const { rows, copies, killed, cut } = outcome;
    const reported = rows.filter(({ state }) => state === 'unknown').length;
    const doubted = rows.filter(({ doubts }) => doubts > 0).length;
    const mails = new Set(copies.map(({ messageId }) => messageId)).size;
    process.stdout.write(
      `${killed.size} of ${count} killed, ${cut.size} connections cut after the dot; ${rows.length} mails, ${doubted} of them in doubt, ${copies.length - mails} second copies, ${reported} told as unknown\n`,
    );
    expectMailOnce(outcome);
    if (count >= 60) {
      expect(killed.size).toBeGreaterThan(count / 4);
      expect(copies.length).toBeGreaterThan(mails);
    }
  },
);
