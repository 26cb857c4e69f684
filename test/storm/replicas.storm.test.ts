import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildProgram, type BuiltProgram } from '../program/support/built-program.ts';
import { startCuttingProxy, type CuttingProxy } from '../storage/support/cutting-proxy.ts';
import { noPostgres, startPostgres, type PostgresCluster } from '../support/postgres-cluster.ts';
import { isLong } from '../support/storm.ts';
import { openStormFixture, type StormFixture } from './support/chaos-fixture.ts';
import { collectEvidence, type Evidence } from './support/evidence.ts';
import { drawReplicaRounds, playReplicas, type PlayedReplicas } from './support/play-replicas.ts';
import { expectWorkOnce } from './support/work-once.ts';

const count = Number(process.env['TOLLKEEPER_REPLICA_ROUNDS'] ?? 8);
const seed = Number(process.env['TOLLKEEPER_STORM_SEED'] ?? Date.now() % 2 ** 31);
/** Milliseconds; the long storm has the one that is shipped. */
const lease = isLong ? 10_000 : 2000;
/** Milliseconds, of the lease that is shipped. */
const longestTakeover = 15_000;
vi.setConfig({ hookTimeout: 300_000 + count * 90_000 });

const say = (text: string): void => void process.stdout.write(`${text}\n`);

describe.skipIf(noPostgres !== undefined)(noPostgres ?? 'replicas of which the working one fails', () => {
  let program: BuiltProgram;
  let cluster: PostgresCluster;
  let proxies: readonly CuttingProxy[];
  let fixture: StormFixture;
  let played: PlayedReplicas;
  let evidence: Evidence;

  beforeAll(async () => {
    say(`storm of ${count} rounds over replicas, TOLLKEEPER_STORM_SEED=${seed}`);
    [program, cluster] = await Promise.all([buildProgram(), startPostgres({ overTcp: true })]);
    await cluster.execute(["ALTER ROLE test PASSWORD 'p/w-storm'"]);
    await (await cluster.createDatabase()).end();
    const urlAt = (port: number): string => `postgres://test:p%2Fw-storm@127.0.0.1:${port}/test_1`;
    proxies = await Promise.all([0, 1, 2].map(() => startCuttingProxy(cluster.port)));
    const replicas = { urls: proxies.map(({ port }) => urlAt(port)), direct: urlAt(cluster.port), lease };
    fixture = await openStormFixture(program, replicas);
    played = await playReplicas(drawReplicaRounds(seed, count), {
      fixture,
      proxies,
      restartServer: cluster.restart,
      onRound: (done, { kind, after }, millis) =>
        say(
          `storm: ${done} of ${count}, ${kind} after ${after} ms${millis === undefined ? '' : `, taken over in ${millis} ms`}`,
        ),
    });
    evidence = await collectEvidence(fixture, played.lives);
    for (const { job, runs } of evidence.jobs)
      say(`${job}: ${runs.length} slots, ${runs.filter(({ attempts }) => attempts > 1).length} tried again`);
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    for (const proxy of proxies) await proxy[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
    await program[Symbol.asyncDispose]();
  });

  it('are replaced, and end when they are replaced while they live', () => {
    const slowest = Math.max(...played.takeovers.map(({ millis }) => millis));
    say(`slowest takeover of ${played.takeovers.length}: ${slowest} ms, with a lease of ${lease} ms`);
    const slowestEnd = Math.max(...played.replaced.map(({ millis }) => millis));
    say(`slowest end of ${played.replaced.length} that were replaced while they lived: ${slowestEnd} ms`);
    // A machine that is busy with other tests proves nothing.
    if (isLong) expect(slowest).toBeLessThan(longestTakeover);
    if (isLong) expect(slowestEnd).toBeLessThan(3 * lease);
    expect(played.replaced.filter(({ code }) => code !== 1)).toEqual([]);
    expect(played.stops.filter((code) => code !== 0)).toEqual([]);
  });

  expectWorkOnce(() => ({ evidence, lives: played.lives }), ['database-unreachable']);
});
