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
import { requestOf } from '../../src/cli/run/command.ts';
import { manualClock } from '../support/manual-clock.ts';
import { at, hostile, jobView, now, pageFaults, resultOf, runView, statusView } from './support/views.ts';

const good = runView('2026-11-21T07:00:00Z', { summary: '12 rows landed' });
const failed = runView('2026-11-21T07:00:00Z', {
  state: 'failed',
  code: 'gateway-unreachable',
  reason: 'nobody answers',
});
const pipe = { paint: (_: string, text: string) => text };

describe('the result of a run', () => {
  it('that succeeded has its summary and mails, and exit code 0', () => {
    expect(printResult(resultOf(good, { mail: { ...noMail, sent: 2, queued: 1 } }))).toEqual({
      out: '12 rows landed\n2 mails sent\n1 mail queued for `serve` to send\n',
      err: '',
      code: 0,
    });
    expect(printResult(resultOf(runView('2026-11-21T07:00:00Z'))).out).toBe('daily-spend succeeded\n');
  });

  it('that succeeded earlier has the time, and exit code 0', () => {
    expect(printResult(resultOf(good, { already: true }))).toEqual({
      out: 'already ran, succeeded at 2026-11-21 08:00 Europe/Berlin: 12 rows landed\n',
      err: '',
      code: 0,
    });
  });

  it('that failed has reason, code and next step on standard error, and exit code 1', () => {
    expect(printResult(resultOf(failed, { advice: 'check base_url' }))).toEqual({
      out: '',
      err: 'tollkeeper: daily-spend failed: nobody answers\n  what to do: check base_url (gateway-unreachable)\n',
      code: 1,
    });
    const again = { ...failed, nextAttempt: unixMillis(now + 60_000) };
    expect(printResult(resultOf(again)).err).toBe(
      'tollkeeper: daily-spend failed: nobody answers\n  (gateway-unreachable)\n  next attempt 2026-11-21 09:31 Europe/Berlin, by `serve`\n',
    );
  });

  it.each([
    ['skipped', 'was skipped'],
    ['missed', 'was missed'],
    ['interrupted', 'was interrupted'],
    ['queued', 'has not started'],
    ['running', 'has not ended'],
  ] as const)('%s: no success either', (state, message) => {
    const reported = printResult(resultOf(runView('2026-11-21T07:00:00Z', { state, reason: 'so' })));
    expect(reported).toEqual({ out: '', err: `tollkeeper: daily-spend ${message}: so\n`, code: 1 });
  });

  it.each(['deferred', 'failed', 'unknown'] as const)('well, but with mail %s: exit code 1', (what) => {
    const mail = { ...noMail, [what]: 1, problem: 'the mail server\nrefused' };
    const reported = printResult(resultOf(good, { mail }));
    expect(reported).toMatchObject({ out: '12 rows landed\n', code: 1 });
    expect(reported.err).toMatch(
      /^tollkeeper: not all mail was sent: \d to be retried by `serve` or the next `run`, \d refused, \d of unknown outcome\n {2}first error: the mail server refused\n$/,
    );
  });

  it('contains no control characters', () => {
    const evil = { code: hostile, reason: hostile, summary: hostile, waiting: hostile };
    for (const state of ['ok', 'failed', 'queued'] as const) {
      const result = resultOf(runView('2026-11-21T07:00:00Z', { ...evil, state }), {
        advice: hostile,
        mail: { ...noMail, failed: 1, problem: hostile },
      });
      const reported = printResult(result);
      for (const page of [`${reported.out}${reported.err}`, backfillLine(result)])
        expect(pageFaults(page, pipe)).toEqual([]);
    }
  });
});

describe('the result of a backfill', () => {
  it('has one aligned line per run', () => {
    expect(
      [
        resultOf(good),
        resultOf(good, { already: true }),
        resultOf(failed, { advice: 'check base_url' }),
        resultOf(runView('2026-11-22T07:00:00Z', { state: 'skipped', attempts: [], reason: 'so' })),
      ]
        .map(backfillLine)
        .join(''),
    ).toBe(`2026-11-21 08:00  ok           10 s          12 rows landed
2026-11-21 08:00  already ran                12 rows landed
2026-11-21 08:00  failed       10 s          gateway-unreachable: nobody answers
    what to do: check base_url (gateway-unreachable)
2026-11-22 08:00  skipped                    so
`);
  });

  it('ends with the number of runs', () => {
    expect(backfillEnd({ slots: 31, ok: 28, already: 2, failed: 1 })).toBe(
      '31 slots: 28 ok, 2 already ran, 1 failed\n',
    );
    expect(backfillEnd({ slots: 0, ok: 0, already: 0, failed: 0 })).toBe('no slots in this time range\n');
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

describe('the slots of a backfill', () => {
  it.each([
    [{}, { job: 'a' }],
    [{ slot: '2026-11-21' }, { job: 'a', slot: '2026-11-21' }],
    [
      { from: 'x', to: 'y' },
      { job: 'a', from: 'x', to: 'y' },
    ],
  ])('%j', (options, request) => {
    expect(requestOf('a', options)).toEqual(request);
  });

  it.each([
    [{ from: 'x' }, /--from requires --to/],
    [{ to: 'x' }, /--to requires --from/],
    [{ slot: 's', from: 'x', to: 'y' }, /--slot cannot be combined/],
    [{ slot: 's', to: 'y' }, /--slot cannot be combined/],
  ])('%j is wrong use', (options, message) => {
    expect(() => requestOf('a', options)).toThrow(message);
    expect(() => requestOf('a', options)).toThrow(expect.objectContaining({ exitCode: 2 }) as Error);
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
