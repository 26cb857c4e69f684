import { describe, expect, it } from 'vitest';
import { addDays, localeTags, unixMillis } from '../../../src/core/index.ts';
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

  it('needs six days of the call log', async () => {
    await using fixture = await openAlertFixture();
    const late = callsOf(3).filter(({ at }) => at >= '2026-11-06');
    await fixture.land('2026-11-06T00:00:00Z', end, late);
    await fixture.evaluate(end, [], settings);
    expect(await subjectsOf(fixture)).toEqual([]);
  });
});
