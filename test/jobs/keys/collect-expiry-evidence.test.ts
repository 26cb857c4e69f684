import { afterEach, beforeEach, expect, it } from 'vitest';
import { interval, noProgress, toSeconds } from '../../../src/core/index.ts';
import { collectExpiryEvidence } from '../../../src/jobs/expire-keys/collect-expiry-evidence.ts';
import { planExpiry, type ExpiryPolicy, type SurveyedKey } from '../../../src/keys/index.ts';
import type { Warehouse } from '../../../src/warehouse/index.ts';
import { day, daysAgo, now, surveyed, surveyOf } from '../../keys/plan/survey.ts';
import { batchOfCalls, openAt } from '../../warehouse/archive/archive-support.ts';
import { key, snapshotOf } from '../../warehouse/snapshots/snapshots-support.ts';
import { testFolder, type TestFolder } from '../../warehouse/support.ts';

let folder: TestFolder;
let warehouse: Warehouse;
beforeEach(async () => {
  folder = await testFolder();
  warehouse = await openAt(folder, 'test', now);
});
afterEach(async () => {
  await warehouse[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const policy = (change: Partial<ExpiryPolicy> = {}): ExpiryPolicy => ({
  job: 'end-idle',
  zone: 'UTC',
  select: { name: '*' },
  by: ['idle'],
  stages: { warn: 30 * day, expire: 40 * day },
  quiet: 7 * day,
  evenIfUsed: false,
  evenIfCurrent: false,
  limits: { maxPerRun: { count: 5000 }, minRemaining: 0 },
  ...change,
});

/** An inventory: days ago, and the names by id. */
type Shown = [ago: number, names: Readonly<Record<number, string>>];

const shown = async (...inventories: readonly Shown[]) => {
  for (const [ago, names] of inventories)
    await warehouse.snapshots.land(
      snapshotOf(
        daysAgo(ago),
        Object.entries(names).map(([id, name]) => key(Number(id), { name })),
      ),
    );
};

const called = async (...calls: readonly [name: string, ago: number][]) =>
  warehouse.logs.landWindow(
    await batchOfCalls(
      folder,
      interval(toSeconds(daysAgo(200)), toSeconds(now)),
      calls.map(([name, ago]) => ({
        at: toSeconds(daysAgo(ago)),
        model: 'model-a',
        key: name,
        kind: 'consumption',
        prompt: 10,
        quota: '0.5',
        note: '',
      })),
    ),
  );

/** What is known and planned where the log is whole; `asked`: how many keys or names each question was about. */
const planned = async (keys: readonly SurveyedKey[], change: Partial<ExpiryPolicy> = {}) => {
  const survey = surveyOf(...keys);
  const ending = policy(change);
  const asked: [string, number][] = [];
  const { keys: table } = warehouse;
  const evidence = await collectExpiryEvidence(survey, ending, {
    account: 'main',
    keyService: { keptBySinks: async () => new Map() },
    warehouse: {
      snapshots: warehouse.snapshots,
      keys: {
        ...table,
        logComplete: async () => ({ complete: true }),
        uses: async (account, names, ...more) => {
          asked.push(['uses', names.length]);
          return table.uses(account, names, ...more);
        },
        idsOf: async (account, names, since) => {
          asked.push(['idsOf', names.length]);
          return table.idsOf(account, names, since);
        },
      },
    },
    teams: [],
    history: [],
    progress: noProgress,
    signal: new AbortController().signal,
  });
  const { expiries, skipped } = planExpiry(survey, ending, evidence, []);
  return {
    evidence,
    asked,
    does: expiries.map(({ planned: { action } }) => action),
    skipped: skipped.map(({ reason }) => reason),
    messages: skipped.map(({ message }) => message),
  };
};

it('a renamed key is idle since its last call under any of its names', async () => {
  await shown([100, { 5: 'monthly-reports' }], [8, { 5: 'reports' }]);
  await called(['monthly-reports', 20], ['monthly-reports', 35]);
  const reports = [surveyed('reports', { id: 5, age: 300 })];
  const found = await planned(reports);
  expect(found.evidence.use.get(5)).toMatchObject({ calls: 2, lastCall: toSeconds(daysAgo(20)) });
  expect([found.does, found.skipped]).toEqual([[], ['not-due']]);
  // What it is warned of tells the last call as it was.
  const { does } = await planned(reports, { stages: { warn: 15 * day, expire: 40 * day } });
  const stage: unknown = expect.stringMatching(/\(not used since 2026-11-01T08:00:00Z\): .* in 25 days /);
  expect(does).toMatchObject([{ kind: 'warn', stage }]);
});

const byAge = { by: ['age'], stages: { delete: 30 * day } } as const;

it('a key is skipped when the log shows calls under one of its former names', async () => {
  await shown([8, { 5: 'a' }], [5, { 5: 'b' }], [2, { 5: 'a' }]);
  expect((await planned([surveyed('a', { id: 5 })], byAge)).does).toEqual([{ kind: 'delete' }]);
  await called(['b', 3]);
  const { does, skipped } = await planned([surveyed('a', { id: 5 })], byAge);
  expect(does).toEqual([]);
  expect(skipped).toEqual(['used']);
});

it.each<[string, readonly Shown[], readonly SurveyedKey[]]>([
  [
    'then',
    [
      [8, { 5: 'a' }],
      [5, { 5: 'b' }],
      [4, { 5: 'a', 6: 'b' }],
      [2, { 5: 'a' }],
    ],
    [],
  ],
  [
    'since the last inventory',
    [
      [8, { 5: 'a' }],
      [5, { 5: 'b' }],
      [4, { 5: 'a' }],
    ],
    [surveyed('b ', { id: 6, age: 1 })],
  ],
])('a key is skipped when another key had one of its names: %s', async (_, inventories, others) => {
  await shown(...inventories);
  const { does, skipped, messages } = await planned([surveyed('a', { id: 5 }), ...others], byAge);
  expect([does, skipped[0]]).toEqual([[], 'name-not-unique']);
  expect(messages[0]).toMatch(/named b .*\(ids 6\)$/);
});

it('names that differ only in spaces count as one, and their calls are counted once', async () => {
  await shown([20, { 5: ' a' }], [10, { 5: 'a' }]);
  await called(['a', 12]);
  const { evidence } = await planned([surveyed('a', { id: 5 })]);
  expect(evidence.use.get(5)?.calls).toBe(1);
});

it('the usage of many keys is read in one query, however often they were renamed', async () => {
  const ids = Array.from({ length: 300 }, (_, index) => index + 1);
  const named = (prefix: string) => Object.fromEntries(ids.map((id) => [id, `${prefix}-${id}`]));
  await shown([14, named('a')], [10, named('b')], [5, named('a')]);
  await called(['b-7', 9], ['a-8', 3]);
  const { asked, does, skipped } = await planned(
    ids.map((id) => surveyed(`a-${id}`, { id })),
    { ...byAge, quiet: 12 * day },
  );
  expect(asked).toEqual([
    ['uses', 600],
    ['idsOf', 600],
  ]);
  expect([does.length, skipped.length]).toEqual([298, 2]);
});
