import { describe, expect, it } from 'vitest';
import { unixMillis } from '../../src/core/index.ts';
import { composeReport, type JobContext } from '../../src/jobs/index.ts';
import { openJobFixture, type JobFixture } from '../support/job-fixture.ts';
import { chaosFactor, isLong } from '../support/storm.ts';
import { truthOf } from './account-truth.ts';
import { pairedCases, defaultCase, type Case } from './cases.ts';
import { compareReport, openModelsOf, type Outcome } from './compare-report.ts';

const slot = unixMillis(Date.UTC(2026, 10, 20));

/** Clocks go back in Berlin on 25 October 2026; Kathmandu is 5:45 ahead of UTC. */
const periods = [
  { zone: 'Europe/Berlin', from: '2026-10-01', to: '2026-11-01' },
  { zone: 'Europe/Berlin', from: '2026-10-25', to: '2026-10-26' },
  { zone: 'Asia/Kathmandu', from: '2026-11-02', to: '2026-11-09' },
  { zone: 'UTC', from: '2026-10-28', to: '2026-11-07' },
] as const;

const reports = [
  'spend-summary',
  'token-economics',
  'showback',
  'statement',
  'key-inventory',
  'reconciliation',
];

/** Compares with no earlier period. */
const uncompared = new Set(['statement', 'key-inventory', 'reconciliation']);

const openAccount = async ({
  variants,
  currency,
}: Case): Promise<JobFixture & { readonly context: JobContext }> => {
  const fixture = await openJobFixture(
    { months: 3, callsPerDay: 12, variants },
    { naiveZone: variants.log_zone ?? 'UTC', usageZone: variants.usage_zone ?? 'UTC' },
  );
  const context = { ...fixture.context, account: { ...fixture.context.account, currency } };
  const change = { account: context.account };
  await fixture.run('snapshot', {}, change);
  await fixture.run('pull-logs', { since: '2026-08-25' }, change);
  await fixture.run('pull-usage', { since: '2026-08-25', group_by: ['model', 'token'] }, change);
  return { ...fixture, context };
};

const compareCase = async (one: Case): Promise<readonly Outcome[]> => {
  await using fixture = await openAccount(one);
  const { sandbox, context } = fixture;
  const isRounded = sandbox.state.wholeUnits;
  const built = [];
  for (const { zone, from, to } of periods)
    for (const report of reports) {
      const request = { report, period: { from, to } };
      built.push({ zone, from, report, composed: await composeReport(request, { ...context, zone, slot }) });
    }
  const economics = built.filter(({ report }) => report === 'token-economics');
  const open = openModelsOf(economics.map(({ composed }) => composed));
  const outcomes: Outcome[] = [];
  for (const { zone, from, report, composed } of built) {
    const { interval, comparison } = composed.period;
    const over = ({ start, end }: typeof interval) => truthOf(sandbox.truth.rows(start, end), zone, [], open);
    const outcome = compareReport(report, composed, {
      now: over(interval),
      before: uncompared.has(report) ? undefined : over(comparison.interval),
      isRounded,
    });
    const place = (text: string): string => `${zone} ${from}: ${text}`;
    outcomes.push({
      ...outcome,
      wrong: outcome.wrong.map(place),
      unknownPlaces: outcome.unknownPlaces.map(place),
    });
  }
  return outcomes;
};

const sum = (outcomes: readonly Outcome[], of: 'equal' | 'unknown'): number =>
  outcomes.reduce((all, outcome) => all + outcome[of], 0);

/** All covering rows in the long form of the storm, a part of them in the short one, and three in `npm test`. */
const drawn = (): readonly Case[] => {
  if (isLong) return pairedCases();
  if (chaosFactor > 1) return pairedCases().filter((_, at) => at % 10 === 0);
  return pairedCases().slice(1, 4);
};

describe('figures of every report, compared with the truth over four periods in three time zones:', () => {
  it('an account with default exports has every figure equal to the truth', async () => {
    const outcomes = await compareCase(defaultCase);
    expect(outcomes.flatMap(({ wrong }) => wrong)).toEqual([]);
    expect(sum(outcomes, 'equal')).toBeGreaterThan(1500);
    expect(sum(outcomes, 'unknown')).toBeLessThan(100);
  });

  it.each(drawn().map((one) => [one.name, one] as const))(
    'an account with %s has every figure equal to the truth or marked as unknown',
    async (_, one) => {
      const outcomes = await compareCase(one);
      expect(outcomes.flatMap(({ wrong }) => wrong)).toEqual([]);
      expect(sum(outcomes, 'equal')).toBeGreaterThan(100);
    },
  );
});
