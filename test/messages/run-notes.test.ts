import { expect, it } from 'vitest';
import { interval, localeTags, money, unixSeconds } from '../../src/core/index.ts';
import { runNotes } from '../../src/messages/index.ts';
import { describeComparison, gapOf } from '../../src/reconcile/index.ts';
import type { Comparison } from '../../src/warehouse/index.ts';
import { approved, titled } from '../support/approved.ts';
import { lateData } from '../support/late-data.ts';

type Compared = Parameters<typeof describeComparison>[0];

const range = interval(unixSeconds(1_793_480_400), unixSeconds(1_796_072_400));

const figure: Compared['match']['figure'] = {
  unit: 'USD',
  kind: 'own',
  net: money('7.5'),
  consumption: money('8'),
  refunds: money('0.5'),
  perCurrency: money('1'),
};
const match: Compared['match'] = {
  fit: 'exact',
  figure,
  refunds: 'taken off',
  reading: money('7.5'),
  ours: money('7.5'),
  gap: money('0'),
};
const apart = { ...match, fit: undefined, reading: money('8.25'), gap: money('0.75') } as const;
const inUnits = { ...figure, unit: 'units', kind: 'units' } as const;
const source = 'statistics';

/** Each way in which the log and a source compare. */
const comparisons: readonly Compared[] = [
  { source, verdict: 'equal', match },
  { source: 'usage by model', entry: 'gpt-6', verdict: 'equal', match },
  { source: 'usage by key', entry: '', verdict: 'equal', match, why: 'the last hour is still open' },
  { source, verdict: 'rounding', match: { ...match, fit: 'rounding', gap: money('-0.000001') } },
  { source, verdict: 'refunds', match: { ...match, refunds: 'not taken off', reading: money('8') } },
  { source, verdict: 'currency', match: { ...match, figure: { ...figure, unit: 'CNY', kind: 'other' } } },
  { source, verdict: 'currency', match: { ...match, figure: inUnits, refunds: 'not taken off' } },
  { source: 'used_quota', verdict: 'late data', match: apart, why: 'calls of the last hour arrive late' },
  { source: 'balance', verdict: 'truncated', match: apart },
  { source, verdict: 'truncated', match: { ...apart, refunds: 'unknown', otherGap: money('0.25') } },
  { source, verdict: 'unexplained', match: { ...apart, unproven: ['CNY'] } },
  { source, verdict: 'unexplained', match: { ...apart, refunds: 'unknown', otherGap: money('0.25') } },
];

const stored = (compared: Compared): Comparison => ({
  source: compared.source as Comparison['source'],
  entry: compared.entry,
  range,
  ours: compared.match.ours,
  theirs: compared.match.reading,
  gap: gapOf(compared.match),
  unit: compared.match.figure.unit,
  verdict: compared.verdict,
  text: describeComparison(compared),
});

it.each(localeTags)('notes of a run about its data have their approved text in %s', async (tag) => {
  const notes = runNotes(tag, 'Europe/Berlin');
  const near = ['prod-search', 'prod-chat'];
  const shown: readonly (readonly [title: string, text: string])[] = [
    ['late', notes.late(lateData('2026-11-20T05:53:00Z'), range.end)],
    ['late, without a pull', notes.late(lateData(), undefined)],
    ['one unreadable row', notes.unread(1)],
    ['unreadable rows', notes.unread(1204)],
    ['a call after the watermark', notes.afterWatermark(1)],
    ['calls after the watermark', notes.afterWatermark(1204)],
    ['a row of an unclear kind', notes.unclear(1)],
    ['rows of an unclear kind', notes.unclear(1204)],
    ['no such key', notes.unmatchedNote({ names: 'key', pattern: 'prod-serach', near })],
    ['no such model', notes.unmatchedNote({ names: 'model', pattern: 'gtp-*', near: [] })],
    ['no such tag', notes.unmatchedNote({ names: 'product', pattern: 'serach', near: [] })],
    ['not compared', notes.notCompared('the gateway did not answer.')],
    ...comparisons.map(
      (compared) => [compared.verdict, notes.compared(stored(compared), undefined, 0)] as const,
    ),
    ...comparisons
      .slice(0, 1)
      .map((compared) => ['a part', notes.compared(stored(compared), range, 2)] as const),
  ];
  await expect(titled(shown)).toMatchFileSnapshot(approved('mails/run-notes', tag));
});
