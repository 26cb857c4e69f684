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

it('a key alert adds the advice of its fault to what to do, and says it once', () => {
  const adviceOf = (kind: KeyAlert['kind'], service: string): string | undefined => {
    const failed = {
      about: stepFailed('the disk is full'),
      fault: { code: 'disk-full' as const, advice: 'free space' },
    };
    const mail = keyAlertMail({ ...alert, ...failed, kind, service }, at, deps);
    const parts = mail?.text.replaceAll(/\s+/g, ' ').split('What to do:') ?? [];
    expect(parts).toHaveLength(2);
    return parts[1];
  };
  expect(adviceOf('failed', alert.service)).toMatch(/^ free space\. The step is .*`tollkeeper status`/);
  expect(adviceOf('waiting', alert.service)).toMatch(
    /^ free space\. .*`tollkeeper keys resume growth-billing`; /,
  );
  expect(adviceOf('failed', '')).toMatch(/^ free space /);
  expect(fault('rotation-blocked', 'it is blocked').advice).toContain('next step in the message');
});
