import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Where an application finds its key: a variable of a dotenv file, a JSON pointer of one level, or the whole file. */
export type Source = { readonly path: string; readonly variable?: string; readonly pointer?: string };

export type FailedCall = {
  /** Milliseconds UTC of the machine's clock. */
  readonly at: number;
  readonly path: string;
  /** HTTP status, or what the connection said. */
  readonly why: string;
};

/** A process that calls a model with whatever key its files hold, all the while. */
export type Consumer = AsyncDisposable & {
  /** Resolves when every file has been called with since, and throws when the process is gone. */
  readonly round: () => Promise<void>;
  readonly failures: () => readonly FailedCall[];
  /** Ends it after the call that is under way, and gives how many calls it made. */
  readonly stop: () => Promise<number>;
};

/** Plain JavaScript, since it runs without the test's transformer. Each file is read again before each call. */
const child = `
  import { readFileSync } from 'node:fs';
  import { Agent, request } from 'node:http';
  import { setTimeout as pause } from 'node:timers/promises';
  const { baseUrl, model, sources, rest } = JSON.parse(process.argv[1]);
  const agent = new Agent({ keepAlive: true });
  const keyOf = ({ path, variable, pointer }) => {
    const text = readFileSync(path, 'utf8');
    if (pointer !== undefined) return JSON.parse(text)[pointer.slice(1)];
    if (variable === undefined) return text.trim();
    const line = text.split('\\n').find((one) => one.startsWith(variable + '='));
    return line?.slice(variable.length + 1).replace(/^(['"])(.*)\\1$/, '$2');
  };
  const call = (key) => new Promise((resolve) => {
    const asked = request(baseUrl + '/v1/embeddings', { method: 'POST', agent, headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json' } });
    asked.on('error', (error) => resolve(error.code ?? error.message));
    asked.on('response', (response) => response.on('end', () => resolve(response.statusCode)).on('error', () => resolve('cut off')).resume());
    asked.end(JSON.stringify({ model, input: 'x', dimensions: 1 }));
  });
  let isOver = false;
  let calls = 0;
  process.stdin.on('end', () => { isOver = true; }).resume();
  while (!isOver) {
    for (const source of sources) {
      const at = Date.now();
      let why;
      try { why = await call(keyOf(source)); } catch (error) { why = error.code ?? error.name; }
      calls += 1;
      if (why !== 200) process.stdout.write(JSON.stringify({ at, path: source.path, why: String(why) }) + '\\n');
    }
    process.stdout.write(JSON.stringify({ calls }) + '\\n');
    await pause(rest);
  }
  agent.destroy();`;

export const startConsumer = async (options: {
  readonly baseUrl: string;
  readonly model: string;
  readonly sources: readonly Source[];
  /** Milliseconds between two rounds of calls. */
  readonly rest?: number;
}): Promise<Consumer> => {
  const argument = JSON.stringify({ rest: 20, ...options });
  const consumer = spawn(process.execPath, ['--input-type=module', '-e', child, argument], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'] },
  });
  const failures: FailedCall[] = [];
  const waiting = new Set<{
    left: number;
    readonly resolve: () => void;
    readonly reject: (error: Error) => void;
  }>();
  let [calls, isOver] = [0, false];
  const ended = once(consumer, 'close').then(() => {
    isOver = true;
    for (const one of waiting) one.reject(new Error('the consumer has ended'));
  });
  createInterface({ input: consumer.stdout }).on('line', (line) => {
    const reported = JSON.parse(line) as FailedCall | { readonly calls: number };
    if (!('calls' in reported)) {
      failures.push(reported);
      return;
    }
    calls = reported.calls;
    for (const one of waiting) {
      one.left -= 1;
      if (one.left > 0) continue;
      waiting.delete(one);
      one.resolve();
    }
  });
  const round = (): Promise<void> =>
    new Promise((resolve, reject) => {
      if (isOver) reject(new Error('the consumer has ended'));
      // The round under way may have begun before we asked; the one after it has not.
      else waiting.add({ left: 2, resolve, reject });
    });
  const stop = async (): Promise<number> => {
    consumer.stdin.end();
    await ended;
    return calls;
  };
  await round();
  return {
    round,
    stop,
    failures: () => failures,
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
};
