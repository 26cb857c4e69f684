import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCliFixture, type CliFixture } from './support/fixture.ts';

type Shown = {
  readonly first?: string;
  readonly origins: readonly {
    readonly month: string;
    readonly day: number;
    readonly actual: number;
    readonly forecasts: Readonly<Record<string, number>>;
  }[];
};

describe('backtest', () => {
  let fixture: CliFixture;
  beforeAll(async () => {
    fixture = await openCliFixture({ months: 5, callsPerDay: 10, since: '2026-07-01' });
    const pulled = await fixture.run(['run', 'pull-logs']);
    expect(pulled.code, pulled.stderr).toBe(0);
  });
  afterAll(() => fixture[Symbol.asyncDispose]());

  const shown = async (): Promise<Shown> => {
    const ran = await fixture.run(['backtest', '--json']);
    expect(ran.code, ran.stderr).toBe(0);
    return JSON.parse(ran.stdout) as Shown;
  };

  it('forecasts each whole month from the days before it, and compares with what the gateway booked', async () => {
    const { origins } = await shown();
    expect([...new Set(origins.map(({ month }) => month))]).toEqual([
      '2026-07',
      '2026-08',
      '2026-09',
      '2026-10',
    ]);
    const october = origins.filter(({ month }) => month === '2026-10');
    expect(october.map(({ day }) => day)).toEqual([5, 10, 15, 20]);
    const { net } = fixture.sandbox.truth.sums(Date.UTC(2026, 9, 1) / 1000, Date.UTC(2026, 10, 1) / 1000);
    for (const { actual, forecasts } of october) {
      expect(actual).toBeCloseTo(Number(net), 6);
      expect(Object.keys(forecasts).toSorted()).toEqual(['last-week', 'model', 'pace']);
    }
  });

  it('shows the error of each method by the day of the month', async () => {
    const { code, stdout } = await fixture.run(['backtest']);
    expect(code).toBe(0);
    expect(stdout.match(/^day \d+ +[\d.]+ %/gm)).toHaveLength(4);
  });

  it('has nothing to show before a month is whole', async () => {
    await using young = await openCliFixture({ months: 1, callsPerDay: 5, since: '2026-11-03' });
    await young.run(['run', 'pull-logs']);
    const { code, stdout } = await young.run(['backtest', '--json']);
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as Shown).origins).toEqual([]);
    expect((await young.run(['backtest'])).code).toBe(0);
  });
});
