import { afterEach, beforeEach, expect, it } from 'vitest';
import { createJobPlans, type KeyPlanner } from '../../../src/app/keys/job-plans.ts';
import { createSecretRegistry, unixSeconds } from '../../../src/core/index.ts';
import { readConfig } from '../../../src/settings.ts';
import { openFolder, defaultConfig, type Folder } from '../../support/program.ts';
import { fakeKeyService, now, surveyed } from '../support/fake-key-service.ts';

const day = 86_400_000;
const never = new AbortController().signal;

let folder: Folder;
let planner: KeyPlanner;
beforeEach(async () => {
  folder = await openFolder();
  await defaultConfig(folder);
  await folder.write(
    'config/jobs/keys.yaml',
    `jobs:
  snapshot: { kind: snapshot, schedule: "37 * * * *" }
  rotate-prod:
    kind: rotate-keys
    keys: { name: "b*", older_than: 35d }
    every: 30d
    retire: { quiet: 2d }
    deliver: [{ file: { path: "/run/keys/{service}.env", variable: KEY } }]
  rotate-one:
    kind: rotate-keys
    keys: { name: "growth", older_than: 90d }
    every: 90d
    deliver:
      - { file: { path: /run/keys/growth-too, raw: true } }
      - { file: { path: /run/keys/one.env, variable: KEY } }
  rotate-loud:
    kind: rotate-keys
    name: "{service}-{generation}"
    keys: { name: "loud-*", group: vip, status: [1] }
    every: 90d
  expire-old:
    kind: expire-keys
    keys: { name: "old*" }
    by: idle
    stages: { warn: 90d, delete: 110d }
`,
  );
  const env = {
    GATEWAY_BASE_URL: 'http://127.0.0.1:1',
    GATEWAY_ADMIN_KEY: 'sk-admin',
    SMTP_URL: 'smtp://127.0.0.1:1',
  };
  const { config, faults } = await readConfig(`${folder.path}/config`, {
    env,
    secrets: createSecretRegistry(),
  });
  if (config === undefined) throw new Error(faults.map(({ message }) => message).join('; '));
  planner = createJobPlans({
    config,
    keyService: async () => Promise.resolve(fakeKeyService('main', [])),
    warehouse: {
      keys: {
        uses: async () => new Map(),
        logComplete: async () => ({ complete: true }),
        idsOf: async (_account: string, names: readonly string[]) =>
          new Map(names.map((name) => [name, [5]])),
        namesOf: async () => new Map(),
      },
      clocks: { of: () => undefined },
      snapshots: { inventoryAt: async () => undefined },
    } as never,
  });
});
afterEach(() => folder[Symbol.asyncDispose]());

const jobNamed = (name: string) => {
  const job = planner.jobs().find((one) => one.name === name);
  if (job === undefined) throw new Error(`no job ${name}`);
  return job;
};

it('a plan shows what each key job would do, and what stays unchanged and why', async () => {
  expect(planner.jobs().map(({ name }) => name)).toEqual([
    'rotate-prod',
    'rotate-one',
    'rotate-loud',
    'expire-old',
  ]);
  expect(planner.jobs()[3]).toEqual({
    name: 'expire-old',
    kind: 'expire-keys',
    account: 'main',
    zone: 'UTC',
  });
  const survey = {
    at: now,
    keys: [
      surveyed(1, 'billing.g7'),
      surveyed(2, 'batch'),
      surveyed(3, 'batch'),
      surveyed(4, 'growth.g1'),
      surveyed(5, 'old-thing', {}, { createdTime: unixSeconds((now - 120 * day) / 1000) }),
    ],
  };
  const rotate = await planner.plan(jobNamed('rotate-prod'), survey, never);
  expect(rotate).toMatchObject({
    rotations: [
      { service: 'billing', why: 'age', terms: { job: 'rotate-prod', retire: { quiet: 2 * day } } },
    ],
    expiries: [],
  });
  expect(rotate.notes[0]).toMatch(/^skipped: batch: 2 keys .*\(ids 2, 3\)/);
  expect(rotate.skipped.map(({ keyId, reason }) => [keyId, reason])).toEqual([
    [2, 'name-not-unique'],
    [3, 'name-not-unique'],
  ]);
  const expire = await planner.plan(jobNamed('expire-old'), survey, never);
  expect(expire).toMatchObject({ rotations: [], expiries: [{ keyId: 5, action: { kind: 'warn' } }] });
});

it('a job covers a key from its creation with the age at which it is rotated', () => {
  const young = surveyed(1, 'billing.g7', {}, { createdTime: unixSeconds(now / 1000) });
  expect(planner.coverOf('main', young, now)).toEqual({ job: 'rotate-prod', every: 35 * day });
  expect(planner.coverOf('main', surveyed(1, 'data'), now)).toBe(undefined);
  expect(planner.coverOf('other', young, now)).toBe(undefined);
});

it('a plan reports what prevents a manual rotation, independent of the age of the key', () => {
  const young = surveyed(1, 'billing.g7', {}, { createdTime: undefined });
  const older = surveyed(2, 'billing.g6');
  const keys = [
    young,
    older,
    surveyed(3, 'twin'),
    surveyed(4, 'twin'),
    surveyed(5, 'off', {}, { status: 2 }),
  ];
  const reasonOf = (key: (typeof keys)[number]) =>
    planner.obstacleOf('rotate-prod', key, { at: now, keys })?.reason;
  expect(keys.map(reasonOf)).toEqual([
    undefined,
    'older-generation',
    'name-not-unique',
    'name-not-unique',
    'disabled',
  ]);
});

it('the settings come from rotation jobs, and invalid service names are reported', () => {
  expect(planner.termsOf('rotate-prod')).toMatchObject({
    job: 'rotate-prod',
    template: '{service}.g{generation}-{random}',
  });
  expect(() => planner.termsOf('expire-old')).toThrow('expire-old does not rotate keys');
  expect(planner.nameProblem('rotate-prod', 'batch')).toBe(undefined);
  expect(planner.nameProblem('rotate-prod', '../etc')).toMatch(/paths/);
  expect(planner.nameProblem('rotate-prod', 'x'.repeat(46))).toMatch(/50 bytes/);
});

it('a plan reports which job delivers a key, and the name of a first key that no job selects', () => {
  const young = { createdTime: unixSeconds(now / 1000) };
  expect(planner.delivers('main', surveyed(1, 'billing.g7', {}, young), now)).toBe('rotate-prod');
  expect(planner.delivers('main', surveyed(1, 'loud.g7'), now)).toBe(undefined);
  expect(planner.delivers('main', surveyed(1, 'data.g7'), now)).toBe(undefined);
  expect(planner.delivers('other', surveyed(1, 'billing.g7'), now)).toBe(undefined);
  const out = (job: string, service: string, group = '') =>
    planner.leavesOut(job, { service, group, at: now });
  expect([out('rotate-prod', 'batch'), out('rotate-one', 'growth')]).toEqual([undefined, undefined]);
  expect(out('rotate-prod', 'data')).toEqual({
    name: 'data.g1',
    selection: 'name "b*" and older_than 35 days',
  });
  expect(out('rotate-loud', 'loud', 'vip')).toBe(undefined);
  expect(out('rotate-loud', 'loud')).toEqual({
    name: 'loud-1',
    selection: 'name "loud-*", group vip and status 1',
  });
});

it('a plan reports whose key a service would overwrite in the sinks of a job that does not cover it', () => {
  // Too young to be rotated, and in its place all the same.
  const growth = surveyed(1, 'growth.g1', {}, { createdTime: unixSeconds(now / 1000) });
  const survey = { at: now, keys: [growth, surveyed(2, 'billing.g7'), surveyed(3, 'data.g1')] };
  const other = (job: string, service: string) => planner.overwrites(job, service, survey);
  expect([other('rotate-one', 'data'), other('rotate-one', 'fresh')]).toEqual(['growth', 'growth']);
  // What the job covers has its own place, and so has each service where the place bears its name.
  expect([other('rotate-one', 'growth'), other('rotate-prod', 'data')]).toEqual([undefined, undefined]);
  // Nobody's key is there yet.
  expect(planner.overwrites('rotate-one', 'data', { at: now, keys: [] })).toBe(undefined);
  // A name that fits no place is told when it is to go there.
  expect(other('rotate-prod', '../data')).toBe(undefined);
});
