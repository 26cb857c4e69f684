import { describe, expect, it } from 'vitest';
import { money } from '../../src/core/index.ts';
import { sample, spendSamples, type Sample } from '../../src/metrics/index.ts';
import { hostileNames } from '../reports/hostile.ts';
import { openMetricsFixture } from './support/metrics-fixture.ts';

const linesOf = (text: string, name: string): readonly string[] =>
  text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));

const read = (samples: readonly Sample[]) => ({ part: () => Promise.resolve(samples) });

const warnings = (lines: readonly Readonly<Record<string, unknown>>[]) =>
  lines.filter(({ level }) => level === 'warn').map(({ metric }) => metric);

const count = 10_000;

describe('label sets', () => {
  it('of a gauge are bounded: the first ones by name are shown, the rest is counted and logged once', async () => {
    const ages = Array.from({ length: count }, (_, at) =>
      sample('tollkeeper_key_age_seconds', { account: 'main', service: `service-${10_000 + at}` }, at),
    );
    await using fixture = await openMetricsFixture(read(ages.toReversed()));
    for (const _ of [1, 2]) {
      const { text } = await fixture.ask();
      const shown = linesOf(text, 'tollkeeper_key_age_seconds');
      expect(shown).toHaveLength(200);
      expect(shown.at(-1)).toBe('tollkeeper_key_age_seconds{account="main",service="service-10199"} 199');
      expect(text).toContain('tollkeeper_metrics_series_dropped{metric="tollkeeper_key_age_seconds"} 9800');
    }
    expect(warnings(fixture.logged())).toEqual(['tollkeeper_key_age_seconds']);
  });

  it('of a counter are bounded, and its total stays right', async () => {
    await using fixture = await openMetricsFixture({});
    for (const at of Array.from({ length: count }).keys())
      fixture.metrics.measure({ what: 'mail-attempt', route: `route-${at}`, outcome: 'sent' });
    const { text } = await fixture.ask();
    const shown = linesOf(text, 'tollkeeper_mail_attempts_total');
    expect(shown).toHaveLength(201);
    expect(shown).toContain('tollkeeper_mail_attempts_total{route="other",outcome="other"} 9800');
    expect(text).toContain('tollkeeper_metrics_series_dropped{metric="tollkeeper_mail_attempts_total"} 9800');
    expect(warnings(fixture.logged())).toHaveLength(1);
  });

  it('of spend name at most 200 teams, and the rest is summed exactly as other', async () => {
    const teams = Array.from({ length: count }, (_, at) => ({
      team: at === 0 ? '' : `team-${at}`,
      today: money('0.1'),
      yesterday: money('0.000000000001'),
      month: money(`${count - at}`),
    }));
    const sums = { today: money('1000'), yesterday: money('0.00000001'), month: money('50005000') };
    const view = { account: 'main', currency: 'USD', sums, teams };
    await using fixture = await openMetricsFixture(read(spendSamples([view])));
    const { text } = await fixture.ask();
    const shown = linesOf(text, 'tollkeeper_team_spend');
    expect(shown).toHaveLength(603);
    for (const line of [
      'tollkeeper_team_spend{account="main",team="(none)",currency="USD",period="month"} 10000',
      'tollkeeper_team_spend{account="main",team="other",currency="USD",period="today"} 980',
      'tollkeeper_team_spend{account="main",team="other",currency="USD",period="month"} 48024900',
      'tollkeeper_team_spend{account="main",team="other",currency="USD",period="yesterday"} 9.8e-9',
    ])
      expect(shown).toContain(line);
    expect(linesOf(text, 'tollkeeper_spend')).toContain(
      'tollkeeper_spend{account="main",currency="USD",period="month"} 50005000',
    );
    expect(fixture.logged()).toEqual([]);
  });

  it('of an account whose amounts are unknown are missing, not zero', async () => {
    const view = { account: 'main', currency: 'USD', teams: [] };
    await using fixture = await openMetricsFixture(read(spendSamples([view])));
    const { text } = await fixture.ask();
    expect(linesOf(text, 'tollkeeper_spend')).toEqual([]);
    expect(linesOf(text, 'tollkeeper_database_file_bytes')).toEqual([]);
  });

  it('with hostile names stay one line each, in valid UTF-8 and of bounded length', async () => {
    const names = [
      ...hostileNames,
      'a"} 1\nevil_metric 2',
      'back\\slash\\n',
      'bell\u0007 nul\u0000 escape\u001b[31m carriage\rreturn tab\t',
      'half \ud83d of a character',
      'right to left \u202e',
      'long '.repeat(1000),
    ];
    const ages = names.map((service, at) =>
      sample('tollkeeper_key_age_seconds', { account: 'main', service }, at),
    );
    await using fixture = await openMetricsFixture(read(ages));
    const { text } = await fixture.ask();
    expect(linesOf(text, 'tollkeeper_key_age_seconds')).toHaveLength(new Set(names).size);
    for (const line of text.split('\n')) {
      expect(line).toMatch(/^($|# |[a-z_]+(_bucket|_sum|_count)?(\{|\s))/);
      expect(line.length).toBeLessThan(600);
    }
    expect(text).not.toMatch(/(?!\n)[\p{Cc}\u202e]|\p{Surrogate}|^evil_metric/mu);
    expect(text).toContain('service="a\\"} 1\\nevil_metric 2"');
  });

  it('contain no secret', async () => {
    const ages = [sample('tollkeeper_key_age_seconds', { account: 'main', service: 'sk-"secret' }, 1)];
    const redact = (text: string): string => text.replaceAll('sk-"secret', '[redacted]');
    await using fixture = await openMetricsFixture(read(ages), { redact });
    expect((await fixture.ask()).text).toContain('service="[redacted]"');
  });
});

describe('a scrape', () => {
  it('shows the other parts if one cannot be read, counts the failure and logs it once', async () => {
    let isBroken = true;
    await using fixture = await openMetricsFixture({
      keys: () => (isBroken ? Promise.reject(new Error('no keys')) : Promise.resolve([])),
      outbox: () => Promise.resolve([sample('tollkeeper_outbox_messages', { state: 'waiting' }, 3)]),
    });
    for (const times of [1, 2]) {
      const { status, text } = await fixture.ask();
      expect(status).toBe(200);
      expect(text).toContain('tollkeeper_outbox_messages{state="waiting"} 3');
      expect(text).toContain(`tollkeeper_metrics_errors_total{part="keys"} ${times}`);
    }
    isBroken = false;
    await fixture.ask();
    isBroken = true;
    await fixture.ask();
    expect(fixture.logged().map(({ part, error }) => [part, error])).toEqual([
      ['keys', 'no keys'],
      ['keys', 'no keys'],
    ]);
  });

  it('shares its read with concurrent ones', async () => {
    let reads = 0;
    const readers = {
      part: () => {
        reads += 1;
        return Promise.resolve([]);
      },
    };
    await using fixture = await openMetricsFixture({});
    const [first, ...others] = await Promise.all([1, 2, 3].map(() => fixture.metrics.scrape(readers)));
    expect(others).toEqual([first, first]);
    expect(reads).toBe(1);
    await fixture.metrics.scrape(readers);
    expect(reads).toBe(2);
  });
});
