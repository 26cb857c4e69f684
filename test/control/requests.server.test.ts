import { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fault, silentLog, systemClock, unixMillis, type ProgressStep } from '../../src/core/index.ts';
import { answerRequests, askReplica, commandTable, type CommandInput } from '../../src/control/index.ts';
import type { ProgramHandlers } from '../../src/app/control/handlers.ts';
import { openPostgres, type PostgresEngine } from '../../src/storage/postgres/engine.ts';
import { postgresStatements } from '../../src/storage/index.ts';
import { schema } from '../../src/warehouse/schema.ts';
import { noPostgres, startPostgres, type PostgresCluster } from '../support/postgres-cluster.ts';
import { handlersWith } from '../support/unexpected-handlers.ts';
import { deferred, rejection, runResult, statusView } from './support/control-fixture.ts';

describe.skipIf(noPostgres !== undefined)(
  noPostgres ?? 'a command that is asked through the database',
  () => {
    let cluster: PostgresCluster;
    let pool: Pool;
    let database: PostgresEngine;
    beforeAll(async () => {
      cluster = await startPostgres();
    });
    afterAll(() => cluster[Symbol.asyncDispose]());
    beforeEach(async () => {
      pool = await cluster.createDatabase(postgresStatements(schema));
      database = openPostgres(pool);
    });
    afterEach(() => database[Symbol.asyncDispose]());

    const ask = (version = '1.2.3') =>
      askReplica<typeof commandTable, ProgramHandlers>({
        database,
        version,
        clock: systemClock,
        timeout: 20_000,
      });
    const replica = (handlers: Partial<ProgramHandlers>, holder = 'one') =>
      answerRequests({
        database,
        holder,
        table: commandTable,
        handlers: handlersWith(handlers),
        version: '1.2.3',
        clock: systemClock,
        log: silentLog,
        redact: (text) => text.replaceAll('geheim', '[redacted]'),
      });
    const left = async (): Promise<number> =>
      Number((await pool.query('SELECT count(*) AS rows FROM command_request')).rows[0]?.rows);

    it('gets the answer of the working replica, with what it sends before, and leaves nothing behind', async () => {
      const asked: CommandInput<'backfill'>[] = [];
      await using _one = replica({
        status: async () => statusView,
        backfill: async (input, { progress, onResult }) => {
          asked.push(input);
          progress({ step: 'slot of a geheim job', done: 1, total: 2 });
          for (const done of [1, 2]) onResult({ result: runResult('a'), done, total: 2 });
          return { slots: 2, ok: 2, already: 0, failed: 0 };
        },
      });
      expect(await ask()('status', {})).toEqual(statusView);
      const steps: ProgressStep[] = [];
      const results: unknown[] = [];
      const answer = await ask()(
        'backfill',
        { job: 'a', from: 'b', to: 'c' },
        { progress: (step) => void steps.push(step), onResult: (result) => void results.push(result) },
      );
      expect(answer).toEqual({ slots: 2, ok: 2, already: 0, failed: 0 });
      expect(asked).toEqual([{ job: 'a', from: 'b', to: 'c' }]);
      expect(steps).toEqual([{ step: 'slot of a [redacted] job', done: 1, total: 2 }]);
      expect(results).toEqual([1, 2].map((done) => ({ result: runResult('a'), done, total: 2 })));
      expect(await left()).toBe(0);
    });

    it('fails as in the replica, and before it runs with another version or a wrong input', async () => {
      await using _one = replica({
        status: async () => {
          throw fault('wrong-use', 'there is no geheim', { advice: 'look elsewhere' });
        },
        next: async () => {
          throw new TypeError('a defect');
        },
      });
      expect(await rejection(ask()('status', {}))).toMatchObject({
        code: 'wrong-use',
        message: 'there is no [redacted]',
        advice: 'look elsewhere',
        exitCode: 2,
      });
      expect(await rejection(ask()('next', { count: 1 }))).toMatchObject({
        message: expect.stringContaining('a defect') as string,
      });
      expect(await rejection(ask('1.2.4')('status', {}))).toMatchObject({ code: 'daemon-version-differs' });
      expect(await rejection(ask()('next', { count: 0 }))).toMatchObject({ code: 'wrong-use' });
      expect(await left()).toBe(0);
    });

    it('is run once by one of two replicas that both look for it', async () => {
      let runs = 0;
      const handlers: Partial<ProgramHandlers> = {
        run: async ({ job }) => {
          runs += 1;
          return runResult(job);
        },
      };
      await using _one = replica(handlers);
      await using _two = replica(handlers);
      const jobs = Array.from({ length: 20 }, (_, nth) => `job-${nth}`);
      const answers = await Promise.all(jobs.map((job) => ask()('run', { job })));
      expect(answers.map(({ run }) => run.job)).toEqual(jobs);
      expect(runs).toBe(jobs.length);
    });

    it('is aborted in the replica when the one who asked breaks off', async () => {
      const begun = deferred();
      const reason = deferred<unknown>();
      await using _one = replica({
        run: (_request, { signal }) => {
          begun.resolve();
          return new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              reason.resolve(signal.reason);
              reject(signal.reason);
            });
          });
        },
      });
      const stopping = new AbortController();
      const asked = rejection(ask()('run', { job: 'a' }, { signal: stopping.signal }));
      await begun.promise;
      stopping.abort(fault('aborted', 'stopped by SIGINT'));
      expect(await asked).toMatchObject({ message: 'stopped by SIGINT' });
      expect(await reason.promise).toMatchObject({ code: 'aborted' });
      expect(await left()).toBe(0);
    });

    it('ends when the replica that runs it stops, and when it is killed and another one works', async () => {
      const begun = [deferred(), deferred()];
      const never = (nth: number): Partial<ProgramHandlers> => ({
        run: () => {
          begun[nth]?.resolve();
          return new Promise(() => undefined);
        },
      });
      const first = replica(never(0));
      const asked = rejection(ask()('run', { job: 'a' }));
      await begun[0]?.promise;
      await first[Symbol.asyncDispose]();
      expect(await asked).toMatchObject({ code: 'daemon-stopped' });
      const killed = openPostgres(new Pool({ ...pool.options }));
      const second = answerRequests({
        database: killed,
        holder: 'killed',
        table: commandTable,
        handlers: handlersWith(never(1)),
        version: '1.2.3',
        clock: systemClock,
        log: silentLog,
        redact: (text) => text,
      });
      const again = rejection(ask()('run', { job: 'a' }));
      await begun[1]?.promise;
      await killed[Symbol.asyncDispose]();
      await using _third = replica({}, 'third');
      expect(await again).toMatchObject({ code: 'daemon-stopped' });
      await second[Symbol.asyncDispose]();
    });

    it('fails with the next step when no replica takes it, and is not left for later', async () => {
      let now: number = systemClock.now();
      const clock = { ...systemClock, now: () => unixMillis((now += 5000)) };
      const call = askReplica<typeof commandTable, ProgramHandlers>({
        database,
        version: '1.2.3',
        clock,
        timeout: 20_000,
      });
      expect(await rejection(call('status', {}))).toMatchObject({
        code: 'daemon-unreachable',
        message: expect.stringContaining('no replica') as string,
        retryHelps: true,
      });
      expect(await left()).toBe(0);
    });

    it('is dropped, and never run, when the one who asked was killed', async () => {
      await pool.query(
        `INSERT INTO command_request (id, version, command, input, seen_at) VALUES ('gone', '1.2.3', 'run', '{"job":"a"}', 0)`,
      );
      await using _one = replica({ status: async () => statusView });
      await ask()('status', {});
      expect(await left()).toBe(0);
    });
  },
);
