import { expect, it } from 'vitest';
import { keyAlertMail } from '../support/alert-emails.ts';
import { fault, money, unixMillis, unixSeconds } from '../../../src/core/index.ts';
import type { KeyAlert } from '../../../src/keys/index.ts';

const at = unixMillis(Date.parse('2026-11-21T08:30:00Z'));
const use = {
  calls: 1204,
  lastCall: unixSeconds(Date.parse('2026-11-21T08:27:31Z') / 1000),
  spend: money('3.25'),
  models: ['a', 'b', 'c', 'd'].map((model) => ({ model, calls: 301 })),
};
const held = (name: string): KeyAlert['about'] => ({
  event: 'held',
  name,
  why: { reason: 'used', use, names: [] },
});
const stepFailed = (why: string): KeyAlert['about'] => ({
  event: 'step-failed',
  step: 'deliver',
  why,
  old: { state: 'none', name: '' },
});
const alert: KeyAlert = {
  kind: 'held',
  account: 'main',
  service: 'growth-billing',
  rotation: 'r1',
  about: held('growth-billing<b>stays</b>.g6'),
  use,
  key: 'r1 held 6',
};
const team = (name: string, keys: readonly string[]) => ({ name, keys, mail: [`${name}@example.com`] });
const deps = {
  from: 'reports@example.com',
  operators: ['ops@example.com'],
  zone: 'UTC',
  currency: 'EUR',
  teams: [team('data', ['data-*']), team('growth', ['growth-*'])],
  keyNames: ['growth-billing.g6'],
};

it('a key alert tells operators and the owning team what still uses the key and what to do', () => {
  const mail = keyAlertMail(alert, at, deps);
  expect(mail?.to).toEqual(['ops@example.com', 'growth@example.com']);
  expect(mail?.subject).toContain('growth-billing<b>stays</b>.g6');
  const text = mail?.text.replaceAll(/\s+/g, ' ');
  for (const message of [
    '1,204 calls, last 2026-11-21 08:27 UTC, a 301, b 301, c 301, 1 more model, 3.25 EUR spent',
    'growth-billing (account main, team growth)',
    '`tollkeeper keys history growth-billing`',
  ])
    expect(text).toContain(message);
  expect(mail?.html).not.toContain('<b>stays');
});

it('a key alert ends with the head of the audit log, once there is one', () => {
  const hash = 'a1'.repeat(32);
  const text = (audit?: { readonly seq: number; readonly hash: string }) =>
    keyAlertMail(alert, at, { ...deps, audit })?.text.replaceAll(/\s+/g, ' ');
  expect(text()).not.toContain('Audit log');
  expect(text({ seq: 1204, hash })).toContain(`Audit log: 1,204 steps, head ${hash}.`);
});

it('a key alert is sent once for each subject', () => {
  const keyOf = (change: Partial<KeyAlert>) => keyAlertMail({ ...alert, ...change }, at, deps)?.key;
  expect(keyOf({ about: held('growth-billing.g7'), use: undefined })).toEqual(keyOf({}));
  expect(keyOf({ key: 'r1 held 7' })).not.toEqual(keyOf({}));
});

it.each<[KeyAlert['kind'], boolean]>([
  ['held', true],
  ['escalated', true],
  ['warning', true],
  ['done', true],
  ['failed', false],
  ['waiting', false],
  ['exposure', false],
  ['orphan', false],
])('a key alert of %s concerns the users of the key: %s', (kind, concerns) => {
  const mail = keyAlertMail({ ...alert, kind }, at, deps);
  expect(mail?.to.includes('growth@example.com')).toBe(concerns);
  expect(mail?.to).toContain('ops@example.com');
});

it('a key alert finds the team by the name of a key, and is not sent without a recipient', () => {
  const teams = [team('growth', ['growth-billing.g*'])];
  expect(keyAlertMail(alert, at, { ...deps, teams })?.to).toContain('growth@example.com');
  expect(keyAlertMail(alert, at, { ...deps, teams, keyNames: [] })?.to).toEqual(['ops@example.com']);
  expect(keyAlertMail({ ...alert, kind: 'failed' }, at, { ...deps, operators: [] })).toBe(undefined);
  expect(keyAlertMail({ ...alert, service: 'x' }, at, { ...deps, operators: [], keyNames: [] })).toBe(
    undefined,
  );
});

it('a hostile key name cannot change the commands in a key alert', () => {
  const mail = keyAlertMail({ ...alert, kind: 'waiting', service: "x'; reboot #\u202E" }, at, deps);
  expect(mail?.text.replaceAll(/\s+/g, ' ')).toContain("`tollkeeper keys resume 'x'\\''; reboot #\uFFFD'`");
});

it('a key alert for a failed step promises nothing about the old key, and says where to see the steps', () => {
  const mail = keyAlertMail({ ...alert, kind: 'failed', about: stepFailed('it did not answer') }, at, deps);
  const text = mail?.text.replaceAll(/\s+/g, ' ') ?? '';
  expect(text).toContain('`tollkeeper keys history growth-billing`');
  expect(text).not.toMatch(/old key/i);
  expect(fault('rotation-blocked', 'it is blocked').advice).toContain('next step in the message');
});

it('a key alert says once what to do about a failed step or required action', () => {
  const reported = (kind: KeyAlert['kind'], service: string): readonly string[] =>
    (
      keyAlertMail(
        {
          ...alert,
          kind,
          service,
          about: stepFailed('the disk is full'),
          fault: { code: 'disk-full', advice: 'free space' },
        },
        at,
        deps,
      )?.text ?? ''
    )
      .replaceAll(/\s+/g, ' ')
      .split('What to do:');
  const failed = reported('failed', alert.service);
  expect(failed).toHaveLength(2);
  expect(failed[0]).toContain('deliver: the disk is full.');
  expect(failed[1]).toContain('free space. The step is');
  expect(failed[1]).toContain('`tollkeeper status`');
  expect(failed.join('')).not.toContain('keys list');
  const waiting = reported('waiting', alert.service);
  expect(waiting).toHaveLength(2);
  expect(waiting[1]).toMatch(
    /free space\. .*`tollkeeper keys resume growth-billing`; .*`tollkeeper keys give-up growth-billing`/,
  );
  expect(reported('failed', '')[1]).toMatch(/^ free space /);
});

it('a key alert about an account or the journal names no command for a service', () => {
  const one = keyAlertMail(
    {
      kind: 'failed',
      account: 'main',
      service: '',
      rotation: '',
      about: { event: 'stuck', why: 'no answer', since: at },
      key: 'stuck/main/gateway-timeout',
    },
    unixMillis(Date.UTC(2026, 10, 21)),
    {
      from: 'Tollkeeper <t@example.com>',
      operators: ['ops@example.com'],
      zone: 'UTC',
      currency: 'USD',
      teams: [],
      keyNames: [],
    },
  );
  expect(one?.text.replaceAll(/\s+/g, ' ')).toMatch(/no answer\. .* since 2026-11-21T08:30:00Z/);
  expect(one?.text).not.toMatch(/tollkeeper keys|unnamed/);
});
