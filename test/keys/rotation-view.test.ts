import { expect, it } from 'vitest';
import { engineFixture, fullSink, hour } from './engine-fixture.ts';

const minute = 60_000;

it('an open rotation shows its allowed attempts and its next attempt, and no next attempt while it is paused', async () => {
  await using fixture = await engineFixture();
  fixture.state.sinks = [fullSink('memory:one').sink];
  const id = await fixture.start(fixture.gateway.add('billing.g1'), { tries: 3 });
  const viewed = async () => (await fixture.keyService().open())[0];
  expect(await viewed()).toMatchObject({ tries: 0, triesAllowed: 3 });
  expect(await viewed()).not.toHaveProperty('nextTry');
  await fixture.advance([id]);
  expect(await viewed()).toMatchObject({ tries: 1, nextTry: fixture.clock.now() + 5 * minute });
  fixture.elapse(5 * minute);
  await fixture.advance();
  expect(await viewed()).toMatchObject({ tries: 2, nextTry: fixture.clock.now() + 10 * minute });
  fixture.elapse(hour);
  await fixture.advance();
  expect(await viewed()).toMatchObject({ stage: 'waiting', tries: 3 });
  expect(await viewed()).not.toHaveProperty('nextTry');
});

it('an old key past its time is reported as long as it is used', async () => {
  await using fixture = await engineFixture();
  const id = await fixture.start(fixture.gateway.add('billing'), {
    retire: { when: 'unused', quiet: hour, ending: 'delete', maxOverlap: 10 * hour },
  });
  await fixture.advance([id]);
  const escalated: unknown[] = [];
  for (let hours = 0; hours < 12; hours += 1) {
    fixture.elapse(hour);
    fixture.state.calls.push(
      { name: 'billing', at: fixture.clock.now() - minute },
      { name: 'billing.g2', at: fixture.clock.now() - minute },
    );
    await fixture.advance();
    escalated.push((await fixture.keyService().open())[0]?.escalated);
  }
  expect([escalated[2], escalated.at(-1)]).toEqual([undefined, true]);
});
