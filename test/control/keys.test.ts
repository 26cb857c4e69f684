import { expect, it } from 'vitest';
import type { ProgramHandlers } from '../../src/app/control/handlers.ts';
import { deferred, openControlFixture, rejection, sendRaw } from './support/control-fixture.ts';

const never = new AbortController().signal;
const who = 'person anna';

it('the control socket carries each key request and its response, with progress', async () => {
  await using fixture = await openControlFixture();
  const service = { service: 'billing', who };
  const requests = {
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
  const daemon = (await fixture.daemon()) as (name: never, input: never, context: never) => Promise<unknown>;
  const steps: unknown[] = [];
  const context = { progress: (step: unknown) => steps.push(step), signal: never };
  for (const [name, input] of Object.entries(requests))
    expect(await daemon(name as never, input as never, context as never)).toEqual({ name, input });
  for (const step of ['keys/apply', 'keys/rotate']) expect(steps).toContainEqual({ step });
});

it.each([
  ['/keys/rotate', '{"key":"a","who":"b"}'],
  ['/keys/rotate', '{"key":"a","now":true}'],
  ['/keys/rotate', '{"key":"a","now":true,"who":"b","force":true}'],
  ['/keys/list', '{"days":0}'],
  ['/keys/adopt', '{"key":"a","service":"b","generation":0,"who":"c"}'],
  ['/keys/apply', '{"file":"","who":"c"}'],
  ['/keys/give-up', '{"service":"a"}'],
])('%s rejects %s', async (path, body) => {
  await using fixture = await openControlFixture({});
  expect((await sendRaw(fixture.socket, 'POST', path, body)).status).toBe(400);
});

it('a request ends with the connection of its client', async () => {
  await using fixture = await openControlFixture();
  const leave = new AbortController();
  const stopped = deferred();
  await fixture.listen({
    'keys/rotate': (_request, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          stopped.resolve();
          reject(new Error('stopped'));
        });
        leave.abort(new Error('Ctrl-C'));
      }),
  });
  const daemon = await fixture.daemon();
  const request = daemon('keys/rotate', { key: 'a', now: false, who }, { signal: leave.signal });
  expect((await rejection(request)).message).toBe('the command was interrupted');
  await stopped.promise;
});
