import { describe, expect, it } from 'vitest';
import { addDays, localeTags, unixMillis } from '../../../src/core/index.ts';
import { approved } from '../../support/approved.ts';
import { openAlertFixture, type AlertFixture, type Call } from './alert-fixture.ts';

const first = '2026-10-20';
const end = '2026-11-10T00:00:00Z';
const settings = { key_behaviour: { floor: '10' } };

/** Twenty days on which `prod` costs 2 dollars at 9 and at 10 o’clock. */
const usual: readonly Call[] = Array.from({ length: 20 }, (_, day) => [
  { at: `${addDays(first, day)}T09:30:00Z`, key: 'prod', charge: '1' },
  { at: `${addDays(first, day)}T10:30:00Z`, key: 'prod', charge: '1' },
]).flat();

const leaked: readonly Call[] = [2, 3, 4, 22].map((hour) => ({
  at: `2026-11-09T${String(hour).padStart(2, '0')}:10:00Z`,
  key: 'prod',
  model: 'claude-opus',
  charge: '25',
}));

const landed = async (calls: readonly Call[]): Promise<AlertFixture> => {
  const fixture = await openAlertFixture();
  await fixture.land(`${first}T00:00:00Z`, end, [...usual, ...calls]);
  return fixture;
};

const manage = async ({ warehouse }: AlertFixture): Promise<void> =>
  warehouse.keys.append(
    [],
    [
      {
        account: 'main',
        keyId: 7,
        service: 'billing',
        generation: 1,
        name: 'prod',
        born: unixMillis(0),
      },
    ],
  );

const alertsOf = async ({ warehouse }: AlertFixture) =>
  (await warehouse.alerts.firing()).map(({ alert }) => alert);

describe('an alert about the use of a key', () => {
  it.each(localeTags)(
    'names what is new, what it cost and how to replace or end the key, in %s',
    async (locale) => {
      const costOwners = { teams: [], prices: [], operators: ['ops@example.com'], budgets: [] };
      const texts: string[] = [];
      for (const isManaged of [true, false]) {
        await using fixture = await landed(leaked);
        if (isManaged) await manage(fixture);
        await fixture.evaluate(end, [], settings, { locale, costOwners });
        await fixture.evaluate(end, [], settings, { locale, costOwners });
        const mails = await fixture.mails();
        expect(mails).toHaveLength(1);
        texts.push(`${mails[0]?.subject}\n\n${mails[0]?.text}`);
      }
      await expect(texts.join('\n\n')).toMatchFileSnapshot(approved('jobs/key-behaviour', locale));
    },
  );

  it.each<[string, readonly Call[]]>([
    [
      'ten times as much at its usual hours and models',
      [{ at: '2026-11-09T09:40:00Z', key: 'prod', charge: '40' }],
    ],
    [
      'a new model for little money',
      [{ at: '2026-11-09T09:40:00Z', key: 'prod', model: 'new', charge: '3' }],
    ],
    ['a key that is known for less than 14 days', leaked.map((call) => ({ ...call, key: 'young' }))],
  ])('is not sent for %s', async (_, calls) => {
    await using fixture = await landed(calls);
    await fixture.evaluate(end, [], settings);
    expect(await alertsOf(fixture)).toEqual([]);
  });

  it('is not sent without the setting, or below the floor', async () => {
    await using fixture = await landed(leaked);
    await fixture.evaluate(end, []);
    await fixture.evaluate(end, [], { key_behaviour: { floor: '200' } });
    expect(await alertsOf(fixture)).toEqual([]);
  });

  it('goes on while the key costs as much, though its models are known by then, and ends when it has fallen', async () => {
    await using fixture = await landed(leaked);
    await fixture.evaluate(end, [], settings);
    const again = leaked.map((call) => ({ ...call, at: call.at.replace('11-09', '11-10') }));
    await fixture.land(end, '2026-11-11T00:00:00Z', again);
    await fixture.evaluate('2026-11-11T00:00:00Z', [], settings);
    expect(await alertsOf(fixture)).toEqual(['key-behaviour:prod']);
    await fixture.land('2026-11-11T00:00:00Z', '2026-11-12T00:00:00Z', []);
    await fixture.evaluate('2026-11-12T00:00:00Z', [], settings);
    expect(await alertsOf(fixture)).toEqual([]);
    expect((await fixture.mails()).map(({ subject }) => subject)).toHaveLength(2);
  });
});
