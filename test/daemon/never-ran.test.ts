import { expect, it } from 'vitest';
import { openTown } from './support/daemon.ts';

it('a job that never ran and missed its first slot needs a person, until it runs', async () => {
  await using town = await openTown('2026-11-20T12:00:00Z');
  await town.jobs(
    'pull-logs: { kind: pull-logs, since: 2026-11-19, schedule: "0 14 * * *" }',
    'by-hand: { kind: pull-logs, since: 2026-11-19 }',
    'paused: { kind: pull-logs, since: 2026-11-19, schedule: "0 14 * * *", suspend: true }',
  );
  const needed = async (): Promise<unknown> =>
    (JSON.parse((await town.run('status', '--json')).stdout) as { readonly needsPerson: unknown })
      .needsPerson;
  expect(await needed()).toEqual([]);
  const daemon = await town.serve();
  await daemon.line({ message: 'serving' });
  await daemon.stop();
  expect(await needed()).toEqual([]);
  town.clock.advance(3 * 3_600_000);
  expect(await needed()).toEqual([expect.stringMatching(/first slot: pull-logs$/)]);
  expect((await town.run('status')).stdout).toContain('first slot was 2026-11-20 14:00');
  expect((await town.run('run', 'pull-logs')).code).toBe(0);
  expect(await needed()).toEqual([]);
});
