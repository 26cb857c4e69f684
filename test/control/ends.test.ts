import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fault, hasCode, unixMillis } from '../../src/core/index.ts';
import {
  at,
  deferred,
  openControlFixture,
  openStranger,
  openUnreadRequest,
  rejection,
  runResult,
  statusView,
} from './support/control-fixture.ts';

const never = new AbortController().signal;

const aborted = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(signal.reason);
    signal.addEventListener('abort', () => resolve(signal.reason));
  });

describe('the early end of a command', () => {
  it.each(['run', 'backfill'] as const)(
    'reaches the daemon when the one who asked breaks off a %s',
    async (name) => {
      await using fixture = await openControlFixture();
      const begun = deferred();
      const reason = deferred<unknown>();
      const work = async (signal: AbortSignal): Promise<never> => {
        begun.resolve();
        reason.resolve(await aborted(signal));
        throw signal.reason;
      };
      await fixture.listen({
        run: (_request, { signal }) => work(signal),
        backfill: (_request, { signal }) => work(signal),
      });
      const daemon = await fixture.daemon();
      const stopping = new AbortController();
      const asked =
        name === 'run'
          ? daemon('run', { job: 'a' }, { signal: stopping.signal })
          : daemon('backfill', { job: 'a', from: 'b', to: 'c' }, { signal: stopping.signal });
      await begun.promise;
      const why = fault('aborted', 'stopped by SIGINT');
      stopping.abort(why);
      expect(await rejection(asked)).toBe(why);
      expect(hasCode(await reason.promise, 'aborted')).toBe(true);
    },
  );

  it('is detected before anything is sent if the signal is already aborted', async () => {
    await using fixture = await openControlFixture({});
    const daemon = await fixture.daemon();
    const error = await rejection(daemon('run', { job: 'a' }, { signal: AbortSignal.abort() }));
    expect(error['code']).toBe('aborted');
  });

  it('does not disturb the daemon if the command continues after its interruption', async () => {
    await using fixture = await openControlFixture();
    const begun = deferred<AbortSignal>();
    const ended = deferred();
    await fixture.listen({
      status: () => Promise.resolve(statusView),
      backfill: async (_request, { progress, onResult, signal }) => {
        begun.resolve(signal);
        await aborted(signal);
        progress({ step: 'late' });
        onResult({ result: runResult('a'), done: 1, total: 1 });
        ended.resolve();
        return { slots: 1, ok: 1, already: 0, failed: 0 };
      },
    });
    const daemon = await fixture.daemon();
    const stopping = new AbortController();
    const asked = rejection(
      daemon('backfill', { job: 'a', from: 'b', to: 'c' }, { signal: stopping.signal }),
    );
    await begun.promise;
    stopping.abort();
    expect((await asked)['code']).toBe('aborted');
    await ended.promise;
    expect(await daemon('status', {})).toEqual(statusView);
  });

  it('reaches every waiting client when the daemon stops', async () => {
    await using fixture = await openControlFixture();
    const signals: AbortSignal[] = [];
    const begun = deferred();
    const hang = (): Promise<never> => {
      if (signals.length === 2) begun.resolve();
      return new Promise(() => undefined);
    };
    const listener = await fixture.listen({
      status: hang,
      run: (_request, { progress, signal }) => {
        signals.push(signal);
        progress({ step: 'pulling', rows: 1 });
        progress({ step: 'pulling', rows: 2 });
        return hang();
      },
      backfill: (_request, { signal }) => {
        signals.push(signal);
        return hang();
      },
    });
    const daemon = await fixture.daemon();
    const steps: unknown[] = [];
    const asked = Promise.all([
      rejection(daemon('run', { job: 'a' }, { progress: (step) => steps.push(step.rows), signal: never })),
      rejection(daemon('backfill', { job: 'a', from: 'b', to: 'c' }, { signal: never })),
      rejection(daemon('status', {})),
    ]);
    await begun.promise;
    await Promise.all([listener[Symbol.asyncDispose](), listener[Symbol.asyncDispose]()]);
    const errors = await asked;
    expect(errors.map((error) => error['code'])).toEqual(Array(3).fill('daemon-stopped'));
    expect(steps).toEqual([1, 2]);
    expect(signals.map(({ reason }) => hasCode(reason, 'daemon-stopped'))).toEqual([true, true]);
    expect(await readdir(dirname(fixture.socket))).toEqual([]);
    expect(await fixture.connect()).toBeUndefined();
    expect((await rejection(daemon('status', {})))['code']).toBe('daemon-stopped');
  });

  it('is reported when the daemon is killed during the command', async () => {
    await using fixture = await openControlFixture();
    await using _stranger = await openStranger(fixture, (socket) => {
      socket.once('data', (head) => {
        const greets = head.toString().startsWith('GET /ping');
        const line = greets ? '{"event":"end","outcome":{"end":"value"}}\n' : '{"event":"alive"}\n';
        socket.write(
          `HTTP/1.1 200 OK\r\ntollkeeper-version: 1.2.3\r\ntransfer-encoding: chunked\r\n\r\n${line.length.toString(16)}\r\n${line}\r\n`,
          () => socket.destroy(),
        );
      });
    });
    const daemon = await fixture.daemon();
    const error = await rejection(daemon('run', { job: 'a' }, { signal: never }));
    expect([error['code'], error['retryHelps']]).toEqual(['daemon-stopped', true]);
  });

  it('is prevented by heartbeats while nothing happens', async () => {
    await using fixture = await openControlFixture();
    const begun = deferred();
    const end = deferred();
    await fixture.listen({
      run: async (request) => {
        begun.resolve();
        await end.promise;
        return runResult(request.job);
      },
    });
    const request = await openUnreadRequest(fixture.socket, '/run', { job: 'a' });
    request.setEncoding('utf8');
    await begun.promise;
    for (let beats = 0; beats < 3; beats += 1) {
      const heard = once(request, 'data');
      fixture.clock.advance(10_000);
      expect((await heard)[0]).toContain('{"event":"alive"}');
    }
    const heard = once(request, 'data');
    end.resolve();
    expect((await heard)[0]).toContain('"event":"end"');
    request.destroy();
  });

  it('does not occur while the daemon sends heartbeats', async () => {
    await using fixture = await openControlFixture();
    const begun = deferred();
    const turn = deferred<(step: number) => void>();
    const end = deferred();
    await fixture.listen({
      run: async (request, { progress }) => {
        turn.resolve((rows) => progress({ step: `step ${rows}`, rows }));
        begun.resolve();
        await end.promise;
        return runResult(request.job);
      },
    });
    const daemon = await fixture.daemon();
    let seen: () => void = () => undefined;
    const asked = daemon('run', { job: 'a' }, { progress: () => seen(), signal: never });
    await begun.promise;
    const notify = await turn.promise;
    for (let minute = 0; minute < 10; minute += 1) {
      const shown = new Promise<void>((resolve) => (seen = resolve));
      notify(minute);
      // Even when this side looks at the time before it looks at what has come.
      if (minute > 0) fixture.clock.advance(61_000);
      await shown;
    }
    end.resolve();
    expect(await asked).toEqual(runResult('a'));
  });

  it('occurs when the daemon does not respond', async () => {
    await using fixture = await openControlFixture();
    const asked = deferred();
    await using _stranger = await openStranger(fixture, (socket) => {
      socket.once('data', () => asked.resolve());
    });
    const answer = rejection(fixture.connect());
    await asked.promise;
    fixture.clock.advance(15_000);
    const error = await answer;
    expect(error['code']).toBe('daemon-unreachable');
    expect(error.message).toContain('did not respond for 15 seconds');
  });
});

describe('a client that does not read', () => {
  it('receives less progress, but the result, when it reads again', async () => {
    await using fixture = await openControlFixture();
    const done = deferred();
    await fixture.listen({
      run: async (request, { progress }) => {
        for (let rows = 0; rows < 30_000; rows += 1) {
          progress({ step: 'pulling', rows, detail: 'x'.repeat(100) });
          fixture.clock.advance(100);
          if (rows % 1000 === 0) await new Promise(setImmediate);
        }
        done.resolve();
        return runResult(request.job);
      },
    });
    const request = await openUnreadRequest(fixture.socket, '/run', { job: 'a' });
    request.pause();
    await done.promise;
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const lines = text.match(/"event":"progress"/g) ?? [];
    expect(lines.length).toBeGreaterThan(10);
    expect(text.length).toBeLessThan(2_000_000);
    expect(text).toContain('"event":"end"');
  });

  it('is disconnected when results accumulate, and its command is aborted', async () => {
    await using fixture = await openControlFixture();
    const reason = deferred<unknown>();
    let results = 0;
    await fixture.listen({
      backfill: async (_request, { onResult, signal }) => {
        void aborted(signal).then(reason.resolve);
        while (!signal.aborted) {
          for (let turn = 0; turn < 100; turn += 1) {
            results += 1;
            onResult({ result: runResult('a', unixMillis(at + results)), done: results, total: 1_000_000 });
          }
          await new Promise(setImmediate);
        }
        throw signal.reason;
      },
    });
    const request = await openUnreadRequest(fixture.socket, '/backfill', { job: 'a', from: 'b', to: 'c' });
    request.pause();
    expect(hasCode(await reason.promise, 'aborted')).toBe(true);
    expect(results).toBeLessThan(50_000);
    request.destroy();
  });

  it('does not delay the stop of the daemon', async () => {
    await using fixture = await openControlFixture();
    const full = deferred();
    const listener = await fixture.listen({
      backfill: async (_request, { onResult }) => {
        for (let results = 1; results <= 3000; results += 1)
          onResult({ result: runResult('a'), done: results, total: 3000 });
        full.resolve();
        return new Promise(() => undefined);
      },
    });
    const request = await openUnreadRequest(fixture.socket, '/backfill', { job: 'a', from: 'b', to: 'c' });
    request.pause();
    await full.promise;
    await listener[Symbol.asyncDispose]();
    await expect(stat(fixture.socket)).rejects.toThrow('ENOENT');
    request.destroy();
  });
});
