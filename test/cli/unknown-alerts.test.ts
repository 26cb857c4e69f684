import { describe, expect, it } from 'vitest';
import { money, unixMillis } from '../../src/core/index.ts';
import { renderAlerts } from '../../src/cli/alerts/render.ts';
import { renderStatus } from '../../src/cli/status/render.ts';
import { noPaint } from '../../src/cli/ui/paint.ts';
import type { AlertView } from '../../src/daemon/index.ts';
import { hostile, now, pageFaults, screens, statusView } from './support/views.ts';

const few = { reason: 'snapshots are missing', hint: 'Take `snapshots`.' };
const old = { reason: 'the last snapshot is old', hint: 'Check the job.' };

const quota = (alert: string, texts: AlertView['texts'] = few, more: Partial<AlertView> = {}): AlertView => ({
  account: 'main',
  alert,
  state: 'unknown',
  zone: 'UTC',
  texts: { lasts: 'unknown', ...texts },
  status: { kind: 'key', state: 'unknown' },
  firing: [],
  ...more,
});

const keys = Array.from({ length: 15 }, (_, index) => `key:ci-${index + 1}`);

const pipe = { paint: noPaint };

describe('the list of alerts', () => {
  it('shows alerts that are unknown for one reason as one line with one next step', () => {
    expect(
      renderAlerts(
        [
          ...keys.map((alert) => quota(alert)),
          quota('key:a', old),
          quota('key:b', old),
          quota('key:alone', { reason: 'the cause is not known', hint: 'Ask.' }),
          quota(
            'key:known',
            {},
            { state: 'ok', status: { kind: 'key', state: 'known' }, texts: { lasts: '9 days' } },
          ),
        ],
        pipe,
      ),
    ).toBe(`BALANCE OR QUOTA  STATE    LASTS
key:alone         unknown  unknown
    the cause is not known
    what to do: Ask.
key:known         ok       9 days

15 alerts are unknown because snapshots are missing: key:ci-1, key:ci-2, key:ci-3, key:ci-4, key:ci-5, key:ci-6, key:ci-7, key:ci-8 and 7 more
  what to do: Take \`snapshots\`.

2 alerts are unknown because the last snapshot is old: key:a, key:b
  what to do: Check the job.
`);
  });

  it('keeps a row for an unknown alert that fires, is muted or has figures', () => {
    const status = {
      kind: 'budget' as const,
      scope: 'account',
      amount: money('5'),
      currency: 'USD',
      zone: 'UTC',
      start: 0,
      end: 1,
      state: 'unknown' as const,
      levels: [],
    } satisfies AlertView['status'];
    const page = renderAlerts(
      [
        quota('key:fires', few, {
          firing: [{ alert: 'key:fires', level: '7 days', period: '0', state: 'firing', raisedAt: now }],
        }),
        quota('key:muted', few, {
          mute: { account: 'main', alert: 'key:muted', until: now, mutedAt: unixMillis(0), by: 'ann' },
        }),
        quota('growth', { ...few, spend: '$1.00' }, { status: { ...status, spend: money('1') } }),
        quota('search', { ...few, spend: '$2.00' }, { status: { ...status, spend: money('2') } }),
      ],
      pipe,
    );
    for (const name of ['key:fires', 'key:muted', 'growth', 'search'])
      expect(page).toMatch(new RegExp(`^${name} +unknown`, 'm'));
    expect(page).not.toContain('alerts are unknown');
  });

  it('names the account before each alert where several accounts have alerts', () => {
    const page = renderAlerts([quota('key:a'), quota('key:a', few, { account: 'other' })], pipe);
    expect(page).toContain('2 alerts are unknown because snapshots are missing: main/key:a, other/key:a\n');
  });

  it.each(screens)('on %s has no line that is too long for any name', (_, screen) => {
    const named = [hostile, `${hostile}2`, ...keys].map((alert) =>
      quota(alert, { reason: hostile, hint: hostile }),
    );
    expect(pageFaults(renderAlerts(named, screen), screen)).toEqual([]);
  });
});

describe('the status', () => {
  const statusOf = (names: readonly string[], texts = few) =>
    statusView({
      data: {
        zone: 'UTC',
        accounts: [],
        reports: { newest: [] },
        unknownAlerts: [
          ...names.map((alert) => ({ account: 'main', alert, ...texts })),
          { account: 'main', alert: 'key:old', ...old },
        ],
      },
    });

  it('shows unknown alerts as one line for each reason, with the next step of each once', () => {
    expect(renderStatus(statusOf(keys), pipe)).toContain(`
15 alerts are unknown because snapshots are missing: key:ci-1, key:ci-2, key:ci-3, key:ci-4, key:ci-5, key:ci-6, key:ci-7, key:ci-8 and 7 more
  what to do: Take \`snapshots\`.

1 alert is unknown because the last snapshot is old: key:old
  what to do: Check the job.
`);
  });

  it.each(screens)('on %s has no line of unknown alerts that is too long', (_, screen) => {
    const page = renderStatus(statusOf([hostile, ...keys], { reason: hostile, hint: hostile }), screen);
    expect(pageFaults(page, screen)).toEqual([]);
  });
});
