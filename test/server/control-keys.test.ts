import { expect, it } from 'vitest';
import { noProgress } from '../../src/core/index.ts';
import type { KeyCommands, KeyOutcome } from '../../src/server/index.ts';
import {
  at,
  deferred,
  openControlFixture,
  rejection,
  sendRaw,
  unaskedKeys,
} from './support/control-fixture.ts';

const never = new AbortController().signal;
const who = 'person anna';
const outcome: KeyOutcome = { rotations: [], changes: [], notes: ['a note'], good: true };

it('brings each order on keys and its answer across, with progress', async () => {
  await using fixture = await openControlFixture();
  const asked: unknown[] = [];
  const note = <T>(answer: T, ...what: unknown[]): Promise<T> => {
    asked.push(what);
    return Promise.resolve(answer);
  };
  const list = { at, zone: 'UTC', accounts: [], keys: [], rotations: [] };
  const keys: KeyCommands = {
    list: (query) => note(list, 'list', query),
    plan: (request) => note([], 'plan', request),
    checkPlan: (request) => note({ plan: {} as never, stale: ['x'] }, 'check', request),
    apply: (request, progress) => {
      progress({ step: 'rotating billing' });
      return note(outcome, 'apply', request);
    },
    rotate: (request, progress) => {
      progress({ step: 'rotating billing' });
      return note(outcome, 'rotate', request);
    },
    expire: (request) => note(outcome, 'expire', request),
    create: (request) => note(outcome, 'create', request),
    adopt: (request) => note({ said: 'a' }, 'adopt', request),
    confirm: (request) => note({ said: 'c' }, 'confirm', request),
    resume: (request) => note(outcome, 'resume', request),
    giveUp: (request) => note({ said: 'g' }, 'give-up', request),
    reconcile: (request) => note([], 'reconcile', request),
    history: (request) => note({ zone: 'UTC', steps: [] }, 'history', request),
  };
  await fixture.listen({ keys });
  const { keys: daemon } = await fixture.daemon();
  const steps: unknown[] = [];
  // A plan of thousands of keys.
  const file = 'ü'.repeat(900_000);
  const service = { service: 'billing', who };
  expect(await daemon.list({ days: 30 }, noProgress, never)).toEqual(list);
  expect(await daemon.plan({ job: 'rotate-prod' }, never)).toEqual([]);
  expect(await daemon.checkPlan({ file }, never)).toEqual({ plan: {}, stale: ['x'] });
  expect(await daemon.apply({ file: 'plan', who }, (step) => steps.push(step), never)).toEqual(outcome);
  const rotate = { key: 'billing', now: true, who, account: 'main' };
  expect(await daemon.rotate(rotate, (step) => steps.push(step), never)).toEqual(outcome);
  await daemon.expire({ key: '1', at: '+48h', who, evenIfCurrent: true }, never);
  await daemon.create({ ...service, job: 'a', quota: '5', expires: '+1d', group: 'g' }, noProgress, never);
  expect(await daemon.adopt({ ...service, key: 'x', generation: 2, move: true }, never)).toEqual({
    said: 'a',
  });
  expect(await daemon.confirm({ ...service, fingerprint: 'ab' })).toEqual({ said: 'c' });
  await daemon.resume(service, noProgress, never);
  expect(await daemon.giveUp(service)).toEqual({ said: 'g' });
  expect(await daemon.reconcile({ ...service, apply: true }, never)).toEqual([]);
  expect(await daemon.history({ account: 'main' })).toEqual({ zone: 'UTC', steps: [] });
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
])('%s refuses %s', async (path, body) => {
  await using fixture = await openControlFixture();
  await fixture.listen({ keys: unaskedKeys });
  expect((await sendRaw(fixture.socket, 'POST', path, body)).status).toBe(400);
});

it('ends an order with the connection of whoever gave it', async () => {
  await using fixture = await openControlFixture();
  const leave = new AbortController();
  const stopped = deferred();
  await fixture.listen({
    keys: {
      ...unaskedKeys,
      rotate: (_request, _progress, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            stopped.resolve();
            reject(new Error('stopped'));
          });
          leave.abort(new Error('Ctrl-C'));
        }),
    },
  });
  const { keys } = await fixture.daemon();
  const request = keys.rotate({ key: 'a', now: false, who }, noProgress, leave.signal);
  expect((await rejection(request)).message).toBe('the command was broken off');
  await stopped.promise;
});
