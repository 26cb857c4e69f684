import { expect, it } from 'vitest';
import { unixSeconds } from '../../src/core/index.ts';
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
  await fixture.later(5 * minute);
  expect(await viewed()).toMatchObject({ tries: 2, nextTry: fixture.clock.now() + 10 * minute });
  await fixture.later(hour);
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

it('a rotation whose new key is delivered says whether a call of a consumer was seen', async () => {
  const calls: { readonly name: string; readonly at: number }[] = [];
  await using fixture = await engineFixture({
    evidence: {
      firstCall: async (_account, name, since) => {
        const [first] = calls.filter((call) => call.name === name && call.at >= since);
        return first === undefined ? undefined : unixSeconds(first.at);
      },
    },
  });
  const call = (name: string): void => void calls.push({ name, at: Math.floor(fixture.clock.now() / 1000) });
  const id = await fixture.start(fixture.gateway.add('billing.g1'));
  // The verification of a new key is a call of it, too.
  call('billing.g2');
  await fixture.advance([id]);
  const viewed = async () => (await fixture.keyService().open())[0];
  const unseen = { stage: 'current', message: expect.stringContaining('not yet seen in use') as string };
  expect(await viewed()).toMatchObject(unseen);
  fixture.elapse(minute);
  call('billing.g1');
  expect(await viewed()).toMatchObject(unseen);
  call('billing.g2');
  expect(await viewed()).toMatchObject({
    stage: 'current',
    message: expect.stringContaining('delivered and in use') as string,
  });
});
