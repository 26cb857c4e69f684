import { describe, expect, it } from 'vitest';
import { jsonText, unixMillis, type ProgressStep } from '../../src/core/index.ts';
import { backfillProgress } from '../../src/cli/run/backfill-progress.ts';
import { nextJson } from '../../src/cli/next/render.ts';
import { statusJson } from '../../src/web/index.ts';
import {
  addMail,
  backfillEnd,
  backfillLine,
  noMail,
  notificationMail,
  printResult,
  resultJson,
} from '../../src/cli/run/render.ts';
import type { RunResult } from '../../src/app/index.ts';
import { approved, titled } from '../support/approved.ts';
import { manualClock } from '../support/manual-clock.ts';
import { at, jobView, now, resultOf, runView, statusView } from './support/views.ts';

const good = runView('2026-11-21T07:00:00Z', { summary: '12 rows landed' });
const failed = runView('2026-11-21T07:00:00Z', {
  state: 'failed',
  code: 'gateway-unreachable',
  reason: 'connection refused',
});

describe('the result of a run', () => {
  it('has summary, mails, reason and next step, and exit code 0 only when it succeeded and no mail is unsent', async () => {
    const queued = { ...noMail, sent: 2, queued: 1 };
    const again = { ...failed, nextAttempt: unixMillis(now + 60_000) };
    const results: readonly (readonly [number, string, RunResult])[] = [
      [0, 'succeeded', resultOf(good, { mail: queued })],
      [0, 'succeeded without a summary', resultOf(runView('2026-11-21T07:00:00Z'))],
      [0, 'succeeded earlier', resultOf(good, { already: true })],
      [1, 'failed', resultOf(failed, { advice: 'check base_url' })],
      [1, 'failed, with a next attempt', resultOf(again)],
      ...(['skipped', 'missed', 'interrupted', 'queued', 'running'] as const).map(
        (state) => [1, state, resultOf(runView('2026-11-21T07:00:00Z', { state, reason: 'so' }))] as const,
      ),
      ...(['deferred', 'failed', 'unknown'] as const).map((what) => {
        const mail = { ...noMail, [what]: 1, problem: 'the mail server\nrefused' };
        return [1, `succeeded, with a mail ${what}`, resultOf(good, { mail })] as const;
      }),
    ];
    const texts = results.map(([expected, title, result]) => {
      const { code, out, err } = printResult(result);
      expect([title, code]).toEqual([title, expected]);
      return [title, `${out}${err.replaceAll(/^/gm, '(stderr) ')}`.replace(/\(stderr\) $/, '')] as const;
    });
    await expect(titled(texts)).toMatchFileSnapshot(approved('cli/run-result'));
  });
});

describe('the result of a backfill', () => {
  it('has one aligned line per run, and ends with the number of runs', async () => {
    const lines = [
      resultOf(good),
      resultOf(good, { already: true }),
      resultOf(failed, { advice: 'check base_url' }),
      resultOf(runView('2026-11-22T07:00:00Z', { state: 'skipped', attempts: [], reason: 'so' })),
    ].map(backfillLine);
    const end = backfillEnd({ slots: 31, ok: 28, already: 2, failed: 1 });
    const none = backfillEnd({ slots: 0, ok: 0, already: 0, failed: 0 });
    await expect([...lines, end, none].join('')).toMatchFileSnapshot(approved('cli/backfill-result'));
  });

  it('adds up mails and keeps the first error', () => {
    const mail = [
      { ...noMail, sent: 1 },
      { ...noMail, deferred: 2, problem: 'first' },
      { ...noMail, failed: 1, unknown: 1, queued: 1, problem: 'second' },
    ].reduce(addMail, noMail);
    expect(mail).toEqual({ sent: 1, deferred: 2, failed: 1, unknown: 1, queued: 1, problem: 'first' });
    expect(notificationMail(noMail)).toEqual({ out: '', err: '', code: 0 });
  });

  it('shows its current slot at each step on a terminal, and at intervals elsewhere', () => {
    const reported = (isTerminal: boolean) => {
      const clock = manualClock();
      const steps: ProgressStep[] = [];
      const progress = backfillProgress('a', (step) => steps.push(step), { isTerminal }, clock);
      for (const done of [1, 2, 3]) {
        progress({ step: 'slot of a', done, total: 3 });
        clock.advance(3000);
        progress({ step: 'pulling', rows: 3 });
      }
      return steps;
    };
    expect(reported(true)).toEqual(
      [1, 2, 3].flatMap((slot) => [
        { step: `slot ${slot} of 3` },
        { step: `slot ${slot} of 3: pulling`, rows: 3 },
      ]),
    );
    expect(reported(false)).toEqual([{ step: 'slot 1 of 3' }, { step: 'slot 3 of 3' }]);
  });
});

describe('the JSON of a run', () => {
  /** Numbers that could only be moments in milliseconds. */
  const moments = (text: string): readonly string[] => text.match(/\b1[67]\d{11}\b/g) ?? [];

  it('has every time as ISO 8601 in UTC', () => {
    const whole = runView('2026-11-21T07:00:00Z', { through: now, nextAttempt: now });
    const status = statusView({
      jobs: [jobView('a', { next: now, last: whole, outageSince: now })],
      open: [whole],
    });
    const texts = [
      jsonText(statusJson(status, [])),
      jsonText(resultJson(resultOf(whole))),
      jsonText(nextJson([{ job: 'a', slot: now, zone: 'UTC' }])),
    ];
    expect(moments(JSON.stringify(status)).length).toBeGreaterThan(15);
    for (const text of texts) expect(moments(text)).toEqual([]);
    expect(JSON.parse(texts[0] ?? '')).toMatchObject({
      now: '2026-11-21T08:30:00.000Z',
      jobs: [
        {
          next: '2026-11-21T08:30:00.000Z',
          last: { slot: '2026-11-21T07:00:00.000Z', attempts: [{ endedAt: '2026-11-21T07:00:10.000Z' }] },
        },
      ],
    });
  });

  it('has summary, figures and mail at the top level, and omits missing values', () => {
    const json = JSON.parse(jsonText(resultJson(resultOf(good)))) as Record<string, unknown>;
    expect(Object.keys(json)).toEqual(['summary', 'figures', 'mail', 'already', 'run']);
    expect(json).toMatchObject({ summary: '12 rows landed', figures: { rows: 12 }, mail: { sent: 0 } });
    expect(Object.keys(json['run'] as object)).not.toContain('through');
    expect(json['run']).toMatchObject({
      interval: { end: new Date(at('2026-11-21T07:00:00Z')).toISOString() },
    });
  });
});
