import { describe, expect, it } from 'vitest';
import { addDays, localeTags, unixMillis } from '../../../src/core/index.ts';
import type { JobContext } from '../../../src/jobs/index.ts';
import { approved } from '../../support/approved.ts';
import { openAlertFixture, type AlertFixture, type Call } from './alert-fixture.ts';

const first = '2026-10-26';
const days = 16;
const settings = { unusual_spend: { floor: '1' } };

/** Calls of three hours a day, by two services; `times` of them in the last day's second hour. */
const callsOf = (times: number, charge = '0.05'): readonly Call[] =>
  Array.from({ length: days }, (_, day) =>
    [9, 10, 11].flatMap((hour) =>
      Array.from({ length: day === days - 1 && hour === 10 ? 50 * times : 50 }, (_call, at) => ({
        at: `${addDays(first, day)}T${String(hour).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}:00Z`,
        model: at % 5 === 0 ? 'claude' : 'gpt-5',
        key: at >= 50 || at % 2 === 0 ? 'prod' : 'test',
        charge,
      })),
    ),
  ).flat();

const end = '2026-11-10T13:00:00Z';

const landed = async (times: number): Promise<AlertFixture> => {
  const fixture = await openAlertFixture();
  await fixture.land(`${first}T00:00:00Z`, end, callsOf(times));
  return fixture;
};

const subjectsOf = async ({ mails }: AlertFixture): Promise<readonly string[]> =>
  (await mails()).map(({ subject }) => subject);

describe('an alert about unusual spend', () => {
  it.each(localeTags)(
    'is one mail with size, cause, start and how often it is wrong, in %s',
    async (locale) => {
      await using fixture = await landed(3);
      const costOwners = { teams: [], prices: [], operators: ['ops@example.com'], budgets: [] };
      await fixture.evaluate(end, [], settings, { locale, costOwners });
      await fixture.evaluate(end, [], settings, { locale, costOwners });
      const mails = await fixture.mails();
      expect(mails).toHaveLength(1);
      await expect(`${mails[0]?.subject}\n\n${mails[0]?.text}`).toMatchFileSnapshot(
        approved('jobs/unusual', locale),
      );
    },
  );

  it('is of the account, and of the model and the service that it comes from', async () => {
    await using fixture = await landed(3);
    await fixture.evaluate(end, [], settings);
    const firing = await fixture.warehouse.alerts.firing();
    expect(firing.map(({ alert }) => alert)).toEqual([
      'unusual:account',
      'unusual:model:gpt-5',
      'unusual:service:prod',
    ]);
  });

  it('is not sent for usual days, without the setting, or below the floor', async () => {
    await using usual = await landed(1);
    await usual.evaluate(end, [], settings);
    await using spike = await landed(3);
    await spike.evaluate(end, []);
    await spike.evaluate(end, [], { unusual_spend: { floor: '6' } });
    expect([...(await subjectsOf(usual)), ...(await subjectsOf(spike))]).toEqual([]);
  });

  it('is not sent for days that a person expects', async () => {
    await using fixture = await landed(3);
    await fixture.warehouse.alerts.expect({
      account: 'main',
      first: '2026-11-10',
      last: '2026-11-10',
      reason: 'load test',
      by: 'person ann',
      at: unixMillis(0),
    });
    await fixture.evaluate(end, [], settings);
    expect(await subjectsOf(fixture)).toEqual([]);
  });

  it('ends with a mail once a day without unusual spend has passed, and without one when it is switched off', async () => {
    await using fixture = await landed(3);
    await fixture.evaluate(end, [], settings);
    await fixture.land(end, '2026-11-11T09:00:00Z', []);
    await fixture.evaluate('2026-11-11T09:00:00Z', [], settings);
    expect(await subjectsOf(fixture)).toHaveLength(1);
    await fixture.land('2026-11-11T09:00:00Z', '2026-11-11T12:00:00Z', []);
    await fixture.evaluate('2026-11-11T12:00:00Z', [], settings);
    expect((await subjectsOf(fixture)).slice(1)).toEqual([expect.stringMatching(/usual again/)]);
    expect(await fixture.warehouse.alerts.firing()).toEqual([]);

    await using off = await landed(3);
    await off.evaluate(end, [], settings);
    await off.evaluate(end, []);
    expect(await subjectsOf(off)).toHaveLength(1);
    expect(await off.warehouse.alerts.firing()).toEqual([]);
  });

  it('is judged once an hour', async () => {
    await using fixture = await landed(1);
    let asked = 0;
    const { warehouse } = fixture;
    const counted = {
      ...warehouse,
      hours: async (...given: Parameters<typeof warehouse.hours>) => {
        asked += 1;
        return warehouse.hours(...given);
      },
    };
    await fixture.evaluate(end, [], settings, { warehouse: counted });
    const once = asked;
    await fixture.evaluate(end, [], settings, { warehouse: counted });
    expect([once > 0, asked]).toEqual([true, once]);
    await fixture.land(end, '2026-11-10T14:00:00Z', []);
    await fixture.evaluate('2026-11-10T14:00:00Z', [], settings, { warehouse: counted });
    expect(asked).toBe(2 * once);
  });

  it('is sent for a service that begins to cost', async () => {
    await using fixture = await openAlertFixture();
    const begun = Array.from({ length: 20 }, (_, at) => ({
      at: `2026-11-10T0${at % 10}:00:00Z`,
      key: 'new',
      charge: '2',
    }));
    await fixture.land(`${first}T00:00:00Z`, end, [...callsOf(1), ...begun]);
    await fixture.evaluate(end, [], settings);
    const firing = await fixture.warehouse.alerts.firing();
    expect(firing.map(({ alert }) => alert)).toContain('unusual:service:new');
  });

  it('is the same if each model and service is judged, without those left out that cannot be unusual', async () => {
    const found = new Set<string>();
    for (let seed = 1; seed <= 8; seed += 1) {
      let state = seed * 7919;
      const random = (): number => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
      await using fixture = await openAlertFixture();
      const begins = seed % 3 === 0 ? 9 : 0;
      const keys = Array.from({ length: 6 }, (_, key) => ({
        key: `key-${key}`,
        calls: [2, 12, 35][key % 3] ?? 0,
        // A spike of the last day, in one of three hours or in all of them, and maybe one of the same day a week before.
        hours: random() < 0.5 ? [9, 10, 11] : [10],
        times: [2.5 + random() * 2, [1, 0.7, 0.62][Math.floor(random() * 3)] ?? 1],
      }));
      const factorOf = ([last = 1, share = 1]: readonly number[], day: number): number =>
        day === days - 1 ? last : day === days - 8 ? Math.max(1, last * share) : 1;
      const calls = Array.from({ length: days }, (_, day) => day)
        .filter((day) => day >= begins)
        .flatMap((day) =>
          [9, 10, 11].flatMap((hour) =>
            keys.flatMap(({ key, calls: usual, ...spike }, nth): readonly Call[] =>
              Array.from({ length: Math.round(usual * (0.8 + 0.4 * random())) }, (_call, second) => ({
                at: `${addDays(first, day)}T${String(hour).padStart(2, '0')}:${String(second % 60).padStart(2, '0')}:00Z`,
                model: `model-${nth % 2}`,
                key,
                charge: (
                  (spike.hours.includes(hour) ? factorOf(spike.times, day) : 1) *
                  (0.1 + 0.02 * random())
                ).toFixed(6),
              })),
            ),
          ),
        );
      await fixture.land(`${addDays(first, begins)}T00:00:00Z`, end, calls);
      if (seed % 2 === 0)
        await fixture.warehouse.alerts.expect({
          account: 'main',
          first: addDays(first, days - 8),
          last: addDays(first, days - 8),
          reason: 'load test',
          by: 'person ann',
          at: unixMillis(0),
        });
      const { warehouse } = fixture;
      const every = new Map(
        [...keys.map(({ key }) => key), 'model-0', 'model-1'].map((name) => [
          name,
          { hour: true, day: true },
        ]),
      );
      const unfiltered = {
        ...warehouse,
        hours: async (...given: Parameters<typeof warehouse.hours>) => {
          const hours = await warehouse.hours(...given);
          return { ...hours, growth: hours.growth.map(() => every) };
        },
      };
      const firing = async (change: Partial<JobContext>): Promise<readonly unknown[]> => {
        await fixture.evaluate(end, [], { unusual_spend: { floor: '0.5' } }, change);
        const all = await warehouse.alerts.statuses('main');
        await warehouse.alerts.putStatus('main', [], ['unusual:']);
        return all
          .filter(({ alert }) => alert !== 'unusual:')
          .map(({ alert, status }) => ({ alert, status }));
      };
      const usual = await firing({});
      expect(usual).toEqual(await firing({ warehouse: unfiltered }));
      for (const { alert } of usual as readonly { readonly alert: string }[])
        found.add(`${seed % 2 === 0 ? 'expected ' : ''}${alert.split(':')[1] ?? ''}`);
    }
    expect([...found].toSorted((left, right) => left.localeCompare(right))).toEqual([
      'account',
      'expected account',
      'expected model',
      'expected service',
      'model',
      'service',
    ]);
  });

  it('needs six days of the call log', async () => {
    await using fixture = await openAlertFixture();
    const late = callsOf(3).filter(({ at }) => at >= '2026-11-06');
    await fixture.land('2026-11-06T00:00:00Z', end, late);
    await fixture.evaluate(end, [], settings);
    expect(await subjectsOf(fixture)).toEqual([]);
  });
});
