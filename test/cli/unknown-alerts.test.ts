import { describe, expect, it } from 'vitest';
import { money, unixMillis } from '../../src/core/index.ts';
import { renderAlerts } from '../../src/cli/alerts/render.ts';
import { renderStatus } from '../../src/cli/status/command.ts';
import { noPaint } from '../../src/cli/ui/paint.ts';
import type { AlertView } from '../../src/app/index.ts';
import { approved, titled } from '../support/approved.ts';
import { hostile, now, pageFaults, screens, statusView } from './support/views.ts';

const few = { reason: 'snapshots are missing', hint: 'Take `snapshots`.' };
const old = { reason: 'the last snapshot is old', hint: 'Check the job.' };

const quota = (alert: string, texts: AlertView['texts'] = few, more: Partial<AlertView> = {}): AlertView => ({
  account: 'main',
  alert,
  state: 'unknown',
  tone: 'warn',
  title: 'Balance or quota',
  zone: 'UTC',
  cells: [{ title: 'Lasts', text: 'unknown' }],
  texts: { lasts: 'unknown', ...texts },
  status: { kind: 'key', state: 'unknown' },
  firing: [],
  ...more,
});

const keys = Array.from({ length: 15 }, (_, index) => `key:ci-${index + 1}`);

const pipe = { paint: noPaint };

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

it('alerts that are unknown for one reason are one line with one next step, in the list of alerts and in the status', async () => {
  const known: Partial<AlertView> = {
    state: 'ok',
    status: { kind: 'key', state: 'known' },
    texts: { lasts: '9 days' },
    cells: [{ title: 'Lasts', text: '9 days' }],
  };
  const alerts = [
    ...keys.map((alert) => quota(alert)),
    quota('key:a', old),
    quota('key:b', old),
    quota('key:alone', { reason: 'the cause is not known', hint: 'Ask.' }),
    quota('key:known', {}, known),
  ];
  const pages = titled([
    ['alerts', renderAlerts(alerts, pipe)],
    [
      'alerts of two accounts',
      renderAlerts([quota('key:a'), quota('key:a', few, { account: 'other' })], pipe),
    ],
    ['status', renderStatus(statusOf(keys), pipe)],
  ]);
  await expect(pages).toMatchFileSnapshot(approved('cli/unknown-alerts'));
});

describe('the list of alerts', () => {
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

  it.each(screens)('on %s has no line that is too long for any name', (_, screen) => {
    const named = [hostile, `${hostile}2`, ...keys].map((alert) =>
      quota(alert, { reason: hostile, hint: hostile }),
    );
    expect(pageFaults(renderAlerts(named, screen), screen)).toEqual([]);
  });
});

describe('the status', () => {
  it.each(screens)('on %s has no line of unknown alerts that is too long', (_, screen) => {
    const page = renderStatus(statusOf([hostile, ...keys], { reason: hostile, hint: hostile }), screen);
    expect(pageFaults(page, screen)).toEqual([]);
  });
});
