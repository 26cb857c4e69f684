import { expect, it } from 'vitest';
import { unixMillis } from '../../src/core/index.ts';
import { createWatermarks, jobKinds } from '../../src/jobs/index.ts';
import { now } from '../support/gateway-fixture.ts';
import { openJobFixture } from '../support/job-fixture.ts';

const day = 86_400_000;
const watermark = createWatermarks(jobKinds);
const declared = async (kind: string, settings: Readonly<Record<string, unknown>>) => {
  const shape = jobKinds.find((candidate) => candidate.kind === kind)?.shape;
  return { kind, account: 'main', timezone: 'UTC', fields: { ...(await shape?.parseAsync(settings)) } };
};

it('the watermark of logs is the end of the time covered without a gap', async () => {
  await using fixture = await openJobFixture();
  const { context, run } = fixture;
  const job = await declared('pull-logs', { since: '2026-11-10' });
  expect(await watermark.watermarkOf(job, context)).toBeUndefined();
  await run('pull-logs', { since: '2026-11-10' });
  expect(await watermark.watermarkOf(job, context)).toBe(Math.floor(now / 1000) * 1000 - 600_000);
  expect(await watermark.watermarkOf({ ...job, account: 'other' }, context)).toBeUndefined();
});

it('the watermark of usage is the earliest of all its dimensions, and is undefined while one is missing', async () => {
  await using fixture = await openJobFixture();
  const { context, clock, run } = fixture;
  const pull = async (at: number, change: Readonly<Record<string, unknown>>): Promise<void> => {
    clock.set(at);
    await run('pull-usage', { since: '2026-11-10', ...change });
  };
  const both = await declared('pull-usage', { since: '2026-11-10', group_by: ['model', 'token'] });
  await pull(now - 3 * day, { group_by: ['model'] });
  await pull(now - 3 * day, { group_by: ['token'], granularity: 'hour' });
  expect(await watermark.watermarkOf(both, context)).toBeUndefined();
  await pull(now - 2 * day, { group_by: ['token'] });
  expect(await watermark.watermarkOf(both, context)).toBe(Date.parse('2026-11-18'));
  await pull(now, { group_by: ['model'] });
  expect(await watermark.watermarkOf(both, context)).toBe(Date.parse('2026-11-19'));
  const hourly = await declared('pull-usage', {
    since: '2026-11-10',
    group_by: ['token'],
    granularity: 'hour',
  });
  expect(await watermark.watermarkOf(hourly, context)).toBe(Date.parse('2026-11-18T05:00:00Z'));
});

it('a kind that brings no data has no watermark, and by default a kind needs data up to the end of its interval', async () => {
  await using fixture = await openJobFixture();
  const report = await declared('report', { report: 'spend-summary', mail: { to: ['a@example.com'] } });
  expect(await watermark.watermarkOf(report, fixture.context)).toBeUndefined();
  expect(watermark.bringsData(report)).toBe(false);
  const logs = await declared('pull-logs', { since: '2026-11-10' });
  expect(watermark.bringsData(logs)).toBe(true);
  const interval = { start: unixMillis(now - day), end: unixMillis(now - 5) };
  expect(watermark.needsThroughOf(logs, unixMillis(now), interval)).toBe(now - 5);
});
