import { expect, it } from 'vitest';

import type { KeyOutcome } from '../../src/daemon/index.ts';
import type { ProgramHandlers } from '../../src/daemon/handlers/handlers.ts';
import { at, deferred, openControlFixture, rejection, sendRaw } from './support/control-fixture.ts';

const never = new AbortController().signal;
const who = 'person anna';
const outcome: KeyOutcome = { rotations: [], changes: [], notes: ['a note'], good: true };

it('the control socket carries each key request and its response, with progress', async () => {
  await using fixture = await openControlFixture();
  const asked: unknown[] = [];
  const note = <T>(answer: T, ...what: unknown[]): Promise<T> => {
    asked.push(what);
    return Promise.resolve(answer);
  };
  const list = { at, zone: 'UTC', accounts: [], keys: [], rotations: [] };
  const handlers: Partial<ProgramHandlers> = {
    'keys/list': (query) => note(list, 'list', query),
    'keys/plan': (request) => note([], 'plan', request),
    'keys/check-plan': (request) => note({ plan: {} as never, stale: ['x'] }, 'check', request),
    'keys/apply': (request, { progress }) => {
      progress({ step: 'rotating billing' });
      return note(outcome, 'apply', request);
    },
    'keys/rotate': (request, { progress }) => {
      progress({ step: 'rotating billing' });
      return note(outcome, 'rotate', request);
    },
    'keys/expire': (request) => note(outcome, 'expire', request),
    'keys/create': (request) => note(outcome, 'create', request),
    'keys/adopt': (request) => note({ message: 'a' }, 'adopt', request),
    'keys/confirm': (request) => note({ message: 'c' }, 'confirm', request),
    'keys/resume': (request) => note(outcome, 'resume', request),
    'keys/give-up': (request) => note({ message: 'g' }, 'give-up', request),
    'keys/reconcile': (request) => note([], 'reconcile', request),
    'keys/audit': () => note({ steps: 3 }, 'audit', {}),
    'keys/history': (request) => note({ zone: 'UTC', steps: [] }, 'history', request),
  };
  await fixture.listen(handlers);
  const daemon = await fixture.daemon();
  const steps: unknown[] = [];
  // A plan of thousands of keys.
  const file = 'ü'.repeat(900_000);
  const service = { service: 'billing', who };
  expect(await daemon('keys/list', { days: 30 }, { signal: never })).toEqual(list);
  expect(await daemon('keys/plan', { job: 'rotate-prod' }, { signal: never })).toEqual([]);
  expect(await daemon('keys/check-plan', { file }, { signal: never })).toEqual({ plan: {}, stale: ['x'] });
  expect(
    await daemon(
      'keys/apply',
      { file: 'plan', who },
      { progress: (step) => steps.push(step), signal: never },
    ),
  ).toEqual(outcome);
  const rotate = { key: 'billing', now: true, who, account: 'main' };
  expect(
    await daemon('keys/rotate', rotate, { progress: (step) => steps.push(step), signal: never }),
  ).toEqual(outcome);
  await daemon('keys/expire', { key: '1', at: '+48h', who, evenIfCurrent: true }, { signal: never });
  await daemon(
    'keys/create',
    { ...service, job: 'a', quota: '5', expires: '+1d', group: 'g' },
    { signal: never },
  );
  expect(
    await daemon('keys/adopt', { ...service, key: 'x', generation: 2, move: true }, { signal: never }),
  ).toEqual({
    message: 'a',
  });
  expect(await daemon('keys/confirm', { ...service, fingerprint: 'ab' })).toEqual({ message: 'c' });
  await daemon('keys/resume', service, { signal: never });
  expect(await daemon('keys/give-up', service)).toEqual({ message: 'g' });
  expect(await daemon('keys/reconcile', { ...service, apply: true }, { signal: never })).toEqual([]);
  expect(await daemon('keys/audit', {})).toEqual({ steps: 3 });
  expect(await daemon('keys/history', { account: 'main' })).toEqual({ zone: 'UTC', steps: [] });
  expect(steps).toEqual([{ step: 'rotating billing' }, { step: 'rotating billing' }]);
  expect(asked).toEqual([
    ['list', { days: 30 }],
    ['plan', { job: 'rotate-prod' }],
    ['check', { file }],
    ['apply', { file: 'plan', who }],
    ['rotate', rotate],
    ['expire', { key: '1', at: '+48h', who, evenIfCurrent: true }],
    ['create', { ...service, job: 'a', quota: '5', expires: '+1d', group: 'g' }],
    ['adopt', { ...service, key: 'x', generation: 2, move: true }],
    ['confirm', { ...service, fingerprint: 'ab' }],
    ['resume', service],
    ['give-up', service],
    ['reconcile', { ...service, apply: true }],
    ['audit', {}],
    ['history', { account: 'main' }],
  ]);
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
  await using fixture = await openControlFixture();
  await fixture.listen({});
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
