import { describe, expect, it } from 'vitest';
import { hostile, jobNamed, deps, noticeMails, noticeOf } from '../support/alert-emails.ts';

describe('outage mails', () => {
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

  it('have a bounded length for any reason', () => {
    const reason = hostile.repeat(50);
    const [long] = noticeMails([noticeOf('pull-logs', 'failed', { reason })], deps(jobNamed('pull-logs')));
    expect(long?.text.length).toBeLessThan(3_000);
  });
});
