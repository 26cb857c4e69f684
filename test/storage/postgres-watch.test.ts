import { describe, expect, it } from 'vitest';
import type { ClientBase } from 'pg';
import { createWatch } from '../../src/storage/postgres/watch.ts';
import { manualClock } from '../support/manual-clock.ts';

const limits = { answer: 8000, statement: 40_000 };
/** Milliseconds between two checks of the bytes. */
const tick = 2000;

/** A promise, and what settles it. */
const pending = <T>() => {
  let [resolve, reject]: [(value: T) => void, (error: Error) => void] = [() => {}, () => {}];
  const promise = new Promise<T>((...settle) => ([resolve, reject] = settle));
  return { promise, resolve, reject };
};
type Answer = ReturnType<typeof pending<readonly boolean[]>>;

/** A statement of a connection that transfers bytes only when `receive` is called, and a server whose answers are given one by one. */
const watchedStatement = () => {
  const clock = manualClock();
  const ended = pending<string>();
  const socket = {
    bytesRead: 0,
    bytesWritten: 0,
    writableLength: 0,
    destroy: () => ended.reject(new Error('the connection is closed')),
  };
  const asked: Answer[] = [];
  const watch = createWatch({
    limits,
    clock,
    where: 'db.example.com/tollkeeper',
    areAtWork: () => {
      const answer = pending<readonly boolean[]>();
      asked.push(answer);
      return answer.promise;
    },
    terminate: () => Promise.resolve(),
  });
  const result = watch.during(
    { connection: { stream: socket } } as unknown as ClientBase,
    { text: 'SELECT 1' },
    () => ended.promise,
  );
  result.catch(() => undefined);
  return {
    result,
    asked,
    receive: () => void (socket.bytesRead += 100),
    end: () => ended.resolve('done'),
    /** Lets time pass in steps of one check each. */
    pass: (millis: number): void => {
      for (let passed = 0; passed < millis; passed += tick) clock.advance(tick);
    },
    settle: () => new Promise((resolve) => setImmediate(resolve)),
  };
};

describe('a statement on a silent connection', () => {
  it.each([
    ['the server does not work on it', (answer: Answer) => answer.resolve([false])],
    ['the server does not answer', (answer: Answer) => answer.reject(new Error())],
  ])('is given up when %s', async (_, give) => {
    const { result, asked, pass } = watchedStatement();
    pass(limits.answer);
    asked.forEach(give);
    await expect(result).rejects.toMatchObject({ code: 'database-unreachable' });
  });

  it('continues while the server works on it, until it has been silent for the longer limit', async () => {
    const { result, asked, pass, settle } = watchedStatement();
    for (let round = 0; round < 4; round += 1) {
      pass(limits.answer);
      asked[round]?.resolve([true]);
      await settle();
    }
    pass(limits.answer);
    await expect(result).rejects.toMatchObject({ code: 'warehouse-failed' });
    expect(asked.length).toBeGreaterThanOrEqual(4);
  });

  it.each([
    ['just before the answer', 0],
    ['a check before the answer', tick],
  ])('continues when bytes arrive %s that the server does not work on it', async (_, before) => {
    const { result, asked, receive, pass, settle, end } = watchedStatement();
    pass(limits.answer);
    receive();
    pass(before);
    asked[0]?.resolve([false]);
    await settle();
    end();
    expect(await result).toBe('done');
  });
});
