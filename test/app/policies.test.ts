import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { openTown, type Daemon, type Town } from './support/daemon.ts';

type RunJson = {
  readonly slot: string;
  readonly state: string;
  readonly trigger: string;
  readonly code?: string;
  readonly reason?: string;
  readonly attempts: readonly { readonly state: string; readonly code?: string }[];
};

const runsOf = async (town: Town, job: string): Promise<readonly RunJson[]> =>
  JSON.parse((await town.run('runs', job, '--json')).stdout) as RunJson[];

const logExport = '/api/log/self/stream-export';
const pull = (schedule: string, more = ''): string =>
  `pull-logs: { kind: pull-logs, since: 2026-11-10, schedule: "${schedule}"${more} }`;
const daily = (name: string, more: string): string =>
  `${name}: { kind: report, schedule: "0 8 * * *", report: spend-summary, period: yesterday, needs: [pull-logs], mail: { to: [${name}@example.com] }${more} }`;

/** How often a message was logged about a job. */
const count = (daemon: Daemon, job: string, message: string): number =>
  daemon.lines().filter((line) => line['job'] === job && line['message'] === message).length;

describe.concurrent('needs', () => {
  it('makes a job run past its deadline with a note in log, mail and notification, or fail if configured', async () => {
    await using town = await openTown('2026-11-20T12:00:00Z');
    await town.jobs(
      pull('30 8 * * *', ', notify: [], retries: { limit: 0 }'),
      daily('finance', ', needs_deadline: 2h'),
      daily('strict', ', needs_deadline: 2h, when_late: fail'),
    );
    expect((await town.run('run', 'pull-logs')).code).toBe(0);
    town.clock.set(Date.parse('2026-11-21T07:59:30Z'));
    const daemon = await town.serve();
    town.sandbox.faults.plant({ path: logExport, kind: 'status', status: 503, times: 99 });
    town.clock.set(Date.parse('2026-11-21T09:30:00Z'));
    await daemon.line({ job: 'pull-logs', message: 'the run failed' });
    await daemon.settled();
    expect(count(daemon, 'finance', 'run started')).toBe(0);

    town.clock.set(Date.parse('2026-11-21T11:31:00Z'));
    await daemon.line({ job: 'finance', message: 'run succeeded' });
    const late = daemon
      .lines()
      .find(({ message }) => String(message).includes('data that the run needs is late'));
    expect(late).toMatchObject({
      level: 'warn',
      job: 'finance',
      reason: expect.stringContaining('pull-logs reaches 2026-11-20 11:50 UTC') as string,
    });
    expect(await runsOf(town, 'strict')).toMatchObject([
      { state: 'failed', code: 'data-late', attempts: [] },
    ]);

    // Both notices go to the same people at the same time: one mail.
    const mails = await town.mails(daemon, 2);
    const report = mails.find(({ recipients }) => recipients.includes('finance@example.com'));
    expect(report?.parsed.text?.replaceAll(/\s+/g, ' ')).toContain('pull-logs reaches 2026-11-20 11:50 UTC');
    const notice = mails.find(({ recipients }) => recipients.includes('ops@example.com'));
    expect(notice?.parsed.subject).toMatch(/1 job failed, 1 .* late$/);
    expect(notice?.parsed.text).toContain('finance ran late');
    expect(notice?.parsed.text).toContain('strict failed');
    expect(notice?.parsed.text?.replaceAll(/\s+/g, ' ')).toContain(
      '2026-11-21 00:00 UTC, and when_late is fail',
    );
    expect((await town.run('status')).stdout).toContain('jobs in outage: finance, strict');
  });
});

describe.concurrent('notify', () => {
  it('sends one mail when a job fails permanently, none while it keeps failing, and one when it recovers', async () => {
    await using town = await openTown('2026-11-21T06:59:00Z');
    await town.jobs(pull('0 * * * *', ', retries: { limit: 1, initial: 1m }'));
    const hostile = '<img src=x onerror=alert(1)> & <b>no</b> http://evil.example/?a="b"';
    town.sandbox.faults.plant({ path: logExport, kind: 'envelope', message: hostile, times: 99 });
    const daemon = await town.serve();
    town.clock.set(Date.parse('2026-11-21T07:00:00Z'));
    const first = await daemon.line({ job: 'pull-logs', message: 'the run failed' });
    expect(first).toMatchObject({ level: 'warn', nextAttempt: expect.any(String) as string });
    await daemon.settled();
    expect((await town.run('status')).code).toBe(0);
    town.clock.advance(61_000);
    expect(await daemon.line({ job: 'pull-logs', message: 'the run failed' }, 2)).toMatchObject({
      level: 'error',
      attempt: 2,
    });
    const [failed] = await town.mails(daemon, 1);
    expect(failed?.recipients).toEqual(['ops@example.com']);
    expect(failed?.parsed.subject).toBe('Tollkeeper: pull-logs failed');
    const text = failed?.parsed.text?.replaceAll(/\s+/g, ' ') ?? '';
    expect(text).toContain(hostile);
    expect(text).toContain('What to do:');
    expect(text).toContain('tollkeeper runs pull-logs');
    const html = String(failed?.parsed.html);
    expect(html).not.toContain('<img src=x');
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt; &amp; &lt;b&gt;');
    expect(html).not.toContain('href="http://evil');
    expect((await town.run('status')).code).toBe(1);

    town.clock.set(Date.parse('2026-11-21T08:00:00Z'));
    await daemon.line({ job: 'pull-logs', message: 'the run failed' }, 3);
    town.clock.advance(61_000);
    await daemon.line({ job: 'pull-logs', message: 'the run failed' }, 4);

    town.sandbox.faults.clear();
    town.clock.set(Date.parse('2026-11-21T09:00:00Z'));
    await daemon.line({ job: 'pull-logs', message: 'run succeeded' });
    const mails = await town.mails(daemon, 2);
    expect(mails.map(({ parsed: { subject } }) => subject)).toEqual([
      'Tollkeeper: pull-logs failed',
      'Tollkeeper: pull-logs recovered',
    ]);
    expect(mails[1]?.parsed.text).toMatch(/Down since: 2026-11-21 07:01:\d\d UTC/);
    expect((await town.run('status')).code).toBe(0);
    const runs = await runsOf(town, 'pull-logs');
    expect(runs.map(({ state, attempts }) => [state, attempts.length])).toEqual([
      ['ok', 1],
      ['failed', 2],
      ['failed', 2],
    ]);
  });
});

describe.concurrent('heartbeat_url', () => {
  it('is called after each successful run only, and appears in no log', async () => {
    await using town = await openTown('2026-11-21T06:59:00Z');
    const hits: string[] = [];
    const waiting: (() => void)[] = [];
    const monitor = createServer((request, response) => {
      hits.push(`${request.method} ${request.url}`);
      response.end('OK');
      for (const resolve of waiting.splice(0)) resolve();
    });
    await new Promise<void>((resolve) => monitor.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(monitor.address() as AddressInfo).port}/ping/5ec4e7-beat`;
      await town.jobs(pull('0 * * * *', `, retries: { limit: 0 }, heartbeat_url: "${url}"`));
      const daemon = await town.serve();
      for (const hour of ['07', '08', '09']) {
        if (hour === '08') town.sandbox.faults.plant({ path: logExport, kind: 'envelope', times: 99 });
        const beat = new Promise<void>((resolve) => void waiting.push(resolve));
        town.clock.set(Date.parse(`2026-11-21T${hour}:00:00Z`));
        if (hour === '08') await daemon.line({ job: 'pull-logs', message: 'the run failed' });
        else await beat;
        town.sandbox.faults.clear();
      }
      await daemon.stop();
      expect(hits).toEqual(['GET /ping/5ec4e7-beat', 'GET /ping/5ec4e7-beat']);
      expect(JSON.stringify(daemon.lines())).not.toContain('5ec4e7-beat');
    } finally {
      monitor.closeAllConnections();
      await new Promise((resolve) => monitor.close(resolve));
    }
  });
});
