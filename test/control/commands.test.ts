import { describe, expect, it } from 'vitest';
import { fault, isFault, silentLog, unixMillis, type ProgressStep } from '../../src/core/index.ts';
import { commandTable, connectToDaemon } from '../../src/control/index.ts';
import type { ProgramHandlers } from '../../src/app/control/handlers.ts';
import type { RunResult } from '../../src/app/index.ts';
import {
  at,
  openControlFixture,
  rejection,
  runResult,
  sendRaw,
  statusView,
} from './support/control-fixture.ts';

const never = new AbortController().signal;
const who = 'person anna';

describe('a command through the control socket', () => {
  it('carries each request and its response, with progress', async () => {
    await using fixture = await openControlFixture();
    const service = { service: 'billing', who };
    const range = { job: 'spend', from: '2026-11-01', to: '2026-11-03' };
    const requests = {
      status: {},
      runs: { job: 'a&b=c ü', limit: 20 },
      next: { count: 5 },
      plan: range,
      run: { job: 'Überblick' },
      backfill: range,
      'keys/list': { days: 30 },
      'keys/plan': { job: 'rotate-prod' },
      // A plan of thousands of keys.
      'keys/check-plan': { file: 'ü'.repeat(900_000) },
      'keys/apply': { file: 'plan', who },
      'keys/rotate': { key: 'billing', now: true, who, account: 'main' },
      'keys/expire': { key: '1', at: '+48h', who, evenIfCurrent: true },
      'keys/create': { ...service, job: 'a', quota: '5', expires: '+1d', group: 'g' },
      'keys/adopt': { ...service, key: 'x', generation: 2, move: true },
      'keys/confirm': { ...service, fingerprint: 'ab' },
      'keys/resume': service,
      'keys/give-up': service,
      'keys/reconcile': { ...service, apply: true },
      'keys/audit': {},
      'keys/history': { account: 'main' },
    };
    const answering = (name: string) => (input: unknown, context: { progress?: (step: object) => void }) => {
      context.progress?.({ step: name });
      return Promise.resolve({ name, input });
    };
    const handlers = Object.keys(requests).map((name) => [name, answering(name)]);
    await fixture.listen(Object.fromEntries(handlers) as Partial<ProgramHandlers>);
    const daemon = (await fixture.daemon()) as (
      name: never,
      input: never,
      context: never,
    ) => Promise<unknown>;
    const steps: unknown[] = [];
    const context = { progress: (step: unknown) => steps.push(step), signal: never };
    for (const [name, input] of Object.entries(requests))
      expect(await daemon(name as never, input as never, context as never)).toEqual({ name, input });
    for (const step of ['keys/apply', 'keys/rotate']) expect(steps).toContainEqual({ step });
  });

  it('shows progress and results in order, and the last step of each before the next', async () => {
    await using fixture = await openControlFixture();
    await fixture.listen({
      backfill: async (_request, { progress, onResult }) => {
        for (const done of [1, 2]) {
          for (let rows = 1; rows <= 50; rows += 1) progress({ step: 'pulling', done, total: 2, rows });
          progress({ step: 'mailing', detail: 'finance@example.com' });
          onResult({ result: runResult('spend', unixMillis(at + done)), done: done, total: 2 });
        }
        progress({ step: 'tidying up' });
        return { slots: 2, ok: 2, already: 0, failed: 0 };
      },
    });
    const seen: unknown[] = [];
    const daemon = await fixture.daemon();
    await daemon(
      'backfill',
      { job: 'spend', from: 'a', to: 'b' },
      {
        progress: (step) => seen.push(step),
        onResult: ({ result, done, total }) => seen.push([result.run.slot - at, done, total]),
        signal: never,
      },
    );
    expect(seen).toEqual([
      { step: 'pulling', done: 1, total: 2, rows: 1 },
      { step: 'pulling', done: 1, total: 2, rows: 50 },
      { step: 'mailing', detail: 'finance@example.com' },
      [1, 1, 2],
      { step: 'pulling', done: 2, total: 2, rows: 50 },
      { step: 'mailing', detail: 'finance@example.com' },
      [2, 2, 2],
      { step: 'tidying up' },
    ]);
  });

  it('carries at most ten progress lines per second of a step', async () => {
    await using fixture = await openControlFixture();
    const seen: ProgressStep[] = [];
    await fixture.listen({
      run: async (request, { progress }) => {
        for (let rows = 0; rows < 1000; rows += 1) {
          progress({ step: 'pulling', rows });
          fixture.clock.advance(1);
        }
        return runResult(request.job);
      },
    });
    const daemon = await fixture.daemon();
    await daemon('run', { job: 'spend' }, { progress: (step) => seen.push(step), signal: never });
    expect(seen.map(({ rows }) => rows)).toEqual([0, 99, 199, 299, 399, 499, 599, 699, 799, 899, 999]);
  });

  it('carries every field of a fault', async () => {
    await using fixture = await openControlFixture();
    const unknownJob = fault('job-unknown', 'no job is named „spent“', { advice: 'did you mean spend?' });
    const limited = fault('gateway-rate-limited', 'too many calls', {
      retryAfter: 2500,
      cause: new Error('x'),
    });
    await fixture.listen({
      status: () => Promise.reject(unknownJob),
      run: (_request, { progress }) => {
        progress({ step: 'pulling' });
        return Promise.reject(limited);
      },
    });
    const daemon = await fixture.daemon();
    expect(await rejection(daemon('status', {}))).toMatchObject({
      name: 'Fault',
      code: 'job-unknown',
      message: 'no job is named „spent“',
      advice: 'did you mean spend?',
      exitCode: 2,
      retryHelps: false,
    });
    const second = await rejection(daemon('run', { job: 'spend' }, { signal: never }));
    expect(isFault(second)).toBe(true);
    expect(second).toMatchObject({
      code: 'gateway-rate-limited',
      message: 'too many calls',
      advice: limited.advice,
      exitCode: 1,
      retryHelps: true,
      retryAfter: 2500,
    });
  });

  it('carries an unexpected error without its stack, which the daemon logs', async () => {
    await using fixture = await openControlFixture();
    const logged: unknown[] = [];
    await fixture.listen(
      {
        status: () => Promise.reject(new TypeError('x is no function')),
        next: () => {
          throw new RangeError('thrown at once');
        },
      },
      { log: { ...silentLog, error: (message, fields) => logged.push([message, fields?.['command']]) } },
    );
    const daemon = await fixture.daemon();
    const error = await rejection(daemon('status', {}));
    expect(error.message).toContain('x is no function');
    expect([error.name, error.stack]).toEqual(['Error', undefined]);
    await expect(daemon('next', { count: 1 })).rejects.toThrow('thrown at once');
    expect(logged).toEqual([
      ['a command failed', 'status'],
      ['a command failed', 'next'],
    ]);
    expect((await sendRaw(fixture.socket, 'POST', '/status', '{}')).text).not.toMatch(/\.ts|at /);
  });

  it.each<[string, string, string, string, number]>([
    ['no JSON', 'POST', '/run', '{"job":', 400],
    ['nothing', 'POST', '/run', '', 400],
    ['no job', 'POST', '/run', '{}', 400],
    ['a field that is not known', 'POST', '/run', '{"job":"a","force":true}', 400],
    ['half a range', 'POST', '/backfill', '{"job":"a","from":"b"}', 400],
    ['neither one slot nor a range', 'POST', '/plan', '{"job":"a","slot":"x","from":"b"}', 400],
    ['a name without end', 'POST', '/run', `{"job":"${'a'.repeat(2000)}"}`, 400],
    ['megabytes', 'POST', '/run', `{"job":"a"}${' '.repeat(3_000_000)}`, 400],
    ['a count of none', 'POST', '/next', '{"count":0}', 400],
    ['a limit that is no number', 'POST', '/runs', '{"limit":"7"}', 400],
    ['a rotation that says not when', 'POST', '/keys/rotate', '{"key":"a","who":"b"}', 400],
    ['a rotation without an actor', 'POST', '/keys/rotate', '{"key":"a","now":true}', 400],
    ['a list of no days', 'POST', '/keys/list', '{"days":0}', 400],
    [
      'a generation of none',
      'POST',
      '/keys/adopt',
      '{"key":"a","service":"b","generation":0,"who":"c"}',
      400,
    ],
    ['a plan of nothing', 'POST', '/keys/apply', '{"file":"","who":"c"}', 400],
    ['no path', 'POST', '//', '', 404],
    ['another command', 'POST', '/constructor', '{}', 404],
    ['a command with a query', 'POST', '/status?a=b', '{}', 404],
    ['another method', 'GET', '/run', '', 404],
  ])('rejects %s', async (_, method, path, body, status) => {
    await using fixture = await openControlFixture({});
    const answer = await sendRaw(fixture.socket, method, path, body);
    const { outcome } = JSON.parse(answer.text) as { outcome: { fault: { code: string; exitCode: number } } };
    expect([answer.status, outcome.fault.code, outcome.fault.exitCode]).toEqual([status, 'wrong-use', 2]);
  });

  it('carries no secret in any field', async () => {
    await using fixture = await openControlFixture();
    const secret = 'sk-"quoted"\nsecret';
    const output = `it used ${secret} there`;
    const handlers: Partial<ProgramHandlers> = {
      status: () => Promise.reject(new Error(output)),
      plan: () => Promise.resolve([output]),
      run: () => Promise.reject(fault('gateway-refused', output, { advice: output })),
      backfill: async (_request, { progress, onResult }) => {
        progress({ step: 'pulling', detail: output });
        onResult({ result: { ...runResult('a'), advice: output }, done: 1, total: 1 });
        return { slots: 1, ok: 1, already: 0, failed: 0 };
      },
    };
    await fixture.listen(handlers, { redact: (text) => text.replaceAll(secret, '[secret]') });
    const answers = await Promise.all([
      sendRaw(fixture.socket, 'POST', '/status', '{}'),
      sendRaw(fixture.socket, 'POST', '/plan', '{"job":"a"}'),
      sendRaw(fixture.socket, 'POST', '/run', '{"job":"a"}'),
      sendRaw(fixture.socket, 'POST', '/backfill', '{"job":"a","from":"b","to":"c"}'),
    ]);
    const all = answers.map(({ text }) => text).join('');
    expect(all.match(/it used \[secret\] there/g)).toHaveLength(6);
    expect(all).not.toContain('quoted');
    const seen: RunResult[] = [];
    const daemon = await fixture.daemon();
    await daemon(
      'backfill',
      { job: 'a', from: 'b', to: 'c' },
      { onResult: ({ result }) => seen.push(result), signal: never },
    );
    expect(seen[0]?.advice).toBe('it used [secret] there');
  });

  it('ends with an error if the response cannot be serialized', async () => {
    await using fixture = await openControlFixture({ plan: () => Promise.resolve([1n] as never) });
    const daemon = await fixture.daemon();
    await expect(daemon('plan', { job: 'a' })).rejects.toThrow('BigInt');
  });

  it('is answered concurrently with many others', async () => {
    await using fixture = await openControlFixture();
    let waiting = 0;
    let release: () => void = () => undefined;
    const all = new Promise<void>((resolve) => (release = resolve));
    await fixture.listen({
      run: async (request) => {
        waiting += 1;
        if (waiting === 100) release();
        await all;
        return runResult(request.job);
      },
    });
    const daemon = await fixture.daemon();
    const jobs = Array.from({ length: 100 }, (_, index) => `job-${index}`);
    const results = await Promise.all(
      jobs.map((job) => daemon('run', { job }, { signal: new AbortController().signal })),
    );
    expect(results.map(({ run }) => run.job)).toEqual(jobs);
  });

  it('is handled only by the same version, whichever is newer', async () => {
    await using fixture = await openControlFixture({});
    for (const version of ['1.2.2', '1.3.0']) {
      const error = await rejection(fixture.connect(version));
      expect(error['code']).toBe('daemon-version-differs');
      expect(error.message).toMatch(new RegExp(`version 1\\.2\\.3 .* version ${version}$`));
      expect(error['advice']).toContain('same version');
      const raw = await sendRaw(fixture.socket, 'POST', '/run', '{"job":"a"}', {
        'tollkeeper-version': version,
      });
      expect(raw.status).toBe(409);
      expect(raw.text).toContain('daemon-version-differs');
    }
    expect((await sendRaw(fixture.socket, 'POST', '/status', '{}', {})).status).toBe(409);
  });

  it('reaches the daemon from another working folder', async () => {
    await using fixture = await openControlFixture({ status: () => Promise.resolve(statusView) });
    const daemon = await connectToDaemon<typeof commandTable, ProgramHandlers>('tollkeeper.duckdb', {
      version: '1.2.3',
      clock: fixture.clock,
      cwd: process.cwd(),
    });
    expect(await daemon?.('status', {})).toEqual(statusView);
  });
});
