import { describe, expect, it } from 'vitest';
import { unixMillis } from '../../../src/core/index.ts';
import { adminKeyMail } from '../support/alert-emails.ts';

const at = (text: string) => unixMillis(Date.parse(text));
const account = { admin_key_issued: '2026-01-01', admin_key_max_age: 90 * 86_400_000 };
const people = { from: 'Tollkeeper <t@example.com>', operators: ['ops@example.com'] };

describe('the reminder of an Admin Key', () => {
  it('is sent at its age, once in thirty days, and says what a person must do', () => {
    expect(adminKeyMail('main', account, at('2026-03-31T12:00:00Z'), people)).toBeUndefined();
    const first = adminKeyMail('main', account, at('2026-04-01T12:00:00Z'), people);
    expect(first?.subject).toContain('main is 90 days old');
    const same = adminKeyMail('main', account, at('2026-04-20T12:00:00Z'), people);
    expect(same?.key).toEqual(first?.key);
    const second = adminKeyMail('main', account, at('2026-05-03T12:00:00Z'), people);
    expect(second?.key).not.toEqual(first?.key);
  });

  it('starts again with another key, and is not sent without an age or a recipient', () => {
    const now = at('2026-08-01T00:00:00Z');
    const one = adminKeyMail('main', account, now, people);
    const other = adminKeyMail('main', { ...account, admin_key_issued: '2026-01-02' }, now, people);
    expect(other?.key).not.toEqual(one?.key);
    expect(
      adminKeyMail('main', { admin_key_max_age: 1, admin_key_issued: undefined }, now, people),
    ).toBeUndefined();
    expect(adminKeyMail('main', account, now, { ...people, operators: [] })).toBeUndefined();
  });
});
