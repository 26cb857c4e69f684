import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/index.ts';
import { createAnswers } from '../../../src/warehouse/queries/answer-queries.ts';
import { createIsolatedQueries } from '../../../src/warehouse/queries/isolated.ts';
import type { QueryRequest } from '../../../src/warehouse/index.ts';
import { testFolder } from '../support.ts';

/** The other side of the channel in this process: a real child is tested with the built program. */
const channel = () => {
  const asked: QueryRequest[] = [];
  const start = (): ChildProcess => {
    const answer = createAnswers();
    const child = Object.assign(new EventEmitter(), {
      send: (request: QueryRequest) => {
        asked.push(request);
        void answer(request).then((reply) => child.emit('message', reply));
      },
      kill: () => child.emit('exit', null, 'SIGKILL'),
      ref: () => undefined,
      unref: () => undefined,
    });
    setImmediate(() => child.emit('message', 'ready'));
    return child as unknown as ChildProcess;
  };
  return { asked, start };
};

describe('the queries of two reports at the same time', () => {
  it('run one report after the other, so that the process opens the file of each report once', async () => {
    await using folder = await testFolder();
    const { asked, start } = channel();
    await using queries = createIsolatedQueries(start, systemClock, {});
    const limits = { timeLimit: 60_000, rowLimit: 10 };
    const report = async (name: string): Promise<readonly unknown[]> => {
      await using tables = await queries.openTables({
        memoryLimit: '64MB',
        threads: 1,
        folder: folder.path,
      });
      const set = async (value: string): Promise<void> =>
        tables.fill(async (connection) => {
          await connection.execute('CREATE OR REPLACE TABLE one AS SELECT $value AS name', { value });
        });
      await set(name);
      const results: unknown[] = [];
      for (const suffix of ['', ' 1', ' 2']) {
        const { rows } = await tables.run([], `SELECT name || '${suffix}' FROM one`, limits);
        results.push(rows[0]?.[0]);
      }
      await set(`${name} again`);
      const { rows } = await tables.run([], 'SELECT name FROM one', limits);
      return [...results, rows[0]?.[0]];
    };
    const names = ['left', 'right', 'third'];
    expect(await Promise.all(names.map(report))).toEqual(
      names.map((name) => [name, `${name} 1`, `${name} 2`, `${name} again`]),
    );
    const files = asked.flatMap((request) => (request.question === 'run' ? request.input.file : []));
    expect(files.filter((file, at) => file !== files[at - 1])).toHaveLength(names.length);
    // Once before the tables change, and once at the end.
    expect(asked.filter(({ question }) => question === 'close')).toHaveLength(names.length * 2);
  });
});
