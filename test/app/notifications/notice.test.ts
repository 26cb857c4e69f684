import { describe, expect, it } from 'vitest';
import { hostile, jobNamed, letters, deps, noticeMails, noticeOf } from '../support/alert-emails.ts';

describe('outage mails', () => {
  it('say what happened, why, what to do and when it is retried', () => {
    const mail = letters['one job failed']?.();
    expect(mail?.subject).toBe('Tollkeeper: pull-logs failed');
    for (const fact of [
      '  Slot: 2026-11-21 08:07 Europe/Berlin\n  Next slot: 2026-11-21 09:07 Europe/Berlin\n',
      '`tollkeeper run pull-logs --slot 2026-11-21T07:07:00Z`',
      '`tollkeeper runs pull-logs`',
      'https://tollkeeper.example.com/',
    ])
      expect(mail?.text).toContain(fact);
  });

  it('promise no mail at the end of an outage when none is configured', () => {
    const [mail] = noticeMails(
      [noticeOf('pull-logs', 'failed')],
      deps(jobNamed('pull-logs', { notify: ['failed'] })),
    );
    expect(mail?.text).toContain('until it recovers.\n');
    expect(mail?.text).not.toContain('when it recovers');
  });

  it('go to the recipients of each job, with one mail for the same recipients', () => {
    const night = { notifyTo: ['night@example.com'] };
    const mails = noticeMails(
      [noticeOf('one', 'failed'), noticeOf('two', 'failed'), noticeOf('three', 'late')],
      deps(jobNamed('one'), jobNamed('two', night), jobNamed('three')),
    );
    expect(mails.map(({ to, subject }) => [to, subject])).toEqual([
      [['ops@example.com'], expect.stringMatching(/1 job failed, 1 .* late$/)],
      [['night@example.com'], 'Tollkeeper: two failed'],
    ]);
    expect(noticeMails([noticeOf('one', 'failed')], { ...deps(jobNamed('one')), operators: [] })).toEqual([]);
  });

  it('are the same for the same outage, and different for the next', () => {
    const keyOf = (openedAt: number): string | undefined => {
      const notice = noticeOf('pull-logs', 'failed');
      const outage = { ...notice.outage, openedAt: openedAt as typeof notice.at };
      return noticeMails([{ ...notice, outage }], deps(jobNamed('pull-logs')))[0]?.key.subject;
    };
    expect(keyOf(1)).toBe(keyOf(1));
    expect(keyOf(1)).not.toBe(keyOf(2));
  });

  it('stay readable when many jobs fail at once', () => {
    const names = Array.from({ length: 90 }, (_, index) => `job-${index}`);
    const [mail] = noticeMails(
      names.map((name) => noticeOf(name, 'failed')),
      deps(...names.map((name) => jobNamed(name))),
    );
    expect(mail?.subject).toBe('Tollkeeper: 90 jobs failed');
    expect(mail?.text).toContain('… and 50 more.');
    expect(mail?.html.length).toBeLessThan(100_000);
  });

  it('contain hostile values as plain text of bounded length', () => {
    const mail = letters['hostile words']?.();
    expect(mail?.html).not.toMatch(/<img|<script/);
    expect(mail?.html).toContain('&lt;script&gt;alert(2)&lt;/script&gt;');
    expect(`${mail?.html}${mail?.text}`).not.toContain('\u202E');
    const [long] = noticeMails(
      [noticeOf('pull-logs', 'failed', { reason: hostile.repeat(50) })],
      deps(jobNamed('pull-logs')),
    );
    expect(long?.text.length).toBeLessThan(3_000);
    // Lines of a mail may not be longer than 998 bytes; these stay far below.
    for (const line of long?.text.split('\n') ?? []) expect(line.length).toBeLessThanOrEqual(72);
  });
});
