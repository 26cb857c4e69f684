import { expect, it } from 'vitest';
import { engineHouse, fullSink, hour } from './engine-house.ts';

const minute = 60_000;

it('an open rotation tells how many tries it has, when the next is, and no next where a person is waited for', async () => {
  await using house = await engineHouse();
  house.state.sinks = [fullSink('memory:one').sink];
  const id = await house.start(house.gateway.add('billing.g1'), { tries: 3 });
  const viewed = async () => (await house.desk().open())[0];
  expect(await viewed()).toMatchObject({ tries: 0, triesAllowed: 3 });
  expect(await viewed()).not.toHaveProperty('nextTry');
  await house.advance([id]);
  expect(await viewed()).toMatchObject({ tries: 1, nextTry: house.clock.now() + 5 * minute });
  house.pass(5 * minute);
  await house.advance();
  expect(await viewed()).toMatchObject({ tries: 2, nextTry: house.clock.now() + 10 * minute });
  house.pass(hour);
  await house.advance();
  expect(await viewed()).toMatchObject({ stage: 'waiting', tries: 3 });
  expect(await viewed()).not.toHaveProperty('nextTry');
});

it('an old key past its time is told of as long as it is used', async () => {
  await using house = await engineHouse();
  const id = await house.start(house.gateway.add('billing'), {
    retire: { when: 'unused', quiet: hour, ending: 'delete', maxOverlap: 10 * hour },
  });
  await house.advance([id]);
  const escalated: unknown[] = [];
  for (let hours = 0; hours < 12; hours += 1) {
    house.pass(hour);
    house.state.calls.push(
      { name: 'billing', at: house.clock.now() - minute },
      { name: 'billing.g2', at: house.clock.now() - minute },
    );
    await house.advance();
    escalated.push((await house.desk().open())[0]?.escalated);
  }
  expect([escalated[2], escalated.at(-1)]).toEqual([undefined, true]);
});
