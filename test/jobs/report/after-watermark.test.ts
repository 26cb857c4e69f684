import { expect, it } from 'vitest';
import { composeReport } from '../../../src/jobs/index.ts';
import { openJobFixture } from '../../support/job-fixture.ts';

const day = 86_400_000;

it('a report says how many calls after the watermark its figures contain, until their time is pulled again', async () => {
  await using account = await openJobFixture({ months: 2, callsPerDay: 4 });
  const { clock, context } = account;
  const { warehouse } = context;
  await account.run('pull-logs', { since: '2026-10-25' });
  const build = async () => {
    const composed = await composeReport(
      { report: 'spend-summary', period: 'month-to-date' },
      { ...context, slot: clock.now() },
    );
    const spend = await warehouse.spend('main', composed.period.interval);
    expect(composed.model.headline.value.exact).toBe(spend.net);
    const texts = composed.model.sections.flatMap((section) =>
      section.kind === 'notes' ? section.notes : [],
    );
    return { period: composed.period.interval, texts: texts.map(({ text }) => text).join(' ') };
  };
  expect((await build()).texts).not.toContain('after the end of');
  await warehouse.clocks.note('main', { at: clock.now(), offset: 0, uncertainty: 500 });
  clock.advance(60_000);
  await warehouse.clocks.note('main', { at: clock.now(), offset: -2 * day, uncertainty: 500 });
  const { period, texts } = await build();
  const watermark = (await warehouse.logs.watermark('main'))?.end ?? period.end;
  const { calls } = await warehouse.spend('main', { start: watermark, end: period.end });
  expect(calls).toBeGreaterThan(1);
  expect(texts).toContain(` ${calls} calls after the end of`);
  await warehouse.clocks.note('main', { at: clock.now(), offset: 0, uncertainty: 500 });
  clock.advance(60_000);
  await account.run('pull-logs', { since: '2026-10-25' });
  expect((await build()).texts).not.toContain('after the end of');
});
