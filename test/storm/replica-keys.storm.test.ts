import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildProgram, type BuiltProgram } from '../program/support/built-program.ts';
import { noPostgres, startPostgres, type PostgresCluster } from '../support/postgres-cluster.ts';
import { isLong } from '../support/storm.ts';
import { openKeyFixture, type KeyFixture } from './support/key-fixture.ts';
import { playRotation } from './support/play-rotation.ts';

const count = Number(process.env['TOLLKEEPER_REPLICA_ROUNDS'] ?? 8);
/** In the short storm one rotation has to do: each one takes a day of the fixture's clock. */
const most = isLong ? count : 1;
/** Where what one replica does outside the database and what another one does could meet. */
const boundaries = /(?:before|answer of) (?:POST|PUT|DELETE) \/api\/token|before rename|renamed/;
vi.setConfig({ hookTimeout: 120_000, testTimeout: 300_000 + count * 60_000 });

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Runs the job on the other replica, as soon as the lease of the first one has ended. */
const runElsewhere = async (fixture: KeyFixture): Promise<void> => {
  for (;;) {
    const { code, output } = await fixture.live(['run', 'rotate-apps', '--config', 'other']);
    if (code === 0) return;
    if (!output.includes('works on this database')) throw new Error(output);
    await sleep(200);
  }
};

describe.skipIf(noPostgres !== undefined)(noPostgres ?? 'a rotation over two replicas', () => {
  let program: BuiltProgram;
  let cluster: PostgresCluster;
  beforeAll(async () => {
    [program, cluster] = await Promise.all([buildProgram(), startPostgres()]);
  });
  afterAll(async () => {
    await cluster[Symbol.asyncDispose]();
    await program[Symbol.asyncDispose]();
  });

  it('whose working one is stopped at a step and goes on later leaves no invalid key in a sink and no orphan', async () => {
    const scenario = { name: 'calm', variants: {}, faults: [] };
    await using fixture = await openKeyFixture(program, scenario, 1, await cluster.createUrl());
    const stops: string[] = [];
    let rotations = 0;
    while (stops.length < count && rotations < most) {
      const { wrongs, unfinished } = await playRotation(fixture, () =>
        stops.length >= count
          ? { kind: 'none' }
          : {
              kind: 'stop',
              which: boundaries,
              meanwhile: async (boundary) => {
                stops.push(boundary);
                await runElsewhere(fixture);
              },
            },
      );
      expect([stops, wrongs, unfinished]).toEqual([stops, [], []]);
      await fixture.forgetKilledBoundaries();
      rotations += 1;
    }
    say(`${stops.length} stops in ${rotations} rotations: ${stops.join('; ')}`);
    expect((await fixture.live(['keys', 'audit', '--verify'])).code).toBe(0);
    expect((await fixture.live(['keys', 'audit', '--verify', '--config', 'other'])).code).toBe(0);
    await fixture.consumer.stop();
    expect(fixture.consumer.failures()).toEqual([]);
  });
});
