import { expect, it } from 'vitest';
import { hour, begunFixture } from './engine-fixture.ts';

const signal = new AbortController().signal;

it('a key that the list does not show yet is not reported as deleted by an inspection', async () => {
  const { fixture } = await begunFixture();
  const current = [...fixture.gateway.keys.values()].find(({ name }) => name === 'billing.g2');
  if (current === undefined) throw new RangeError('no successor');
  // A list may lag, or be taken before another piece of work delivers a key.
  fixture.gateway.hidden.add(current.id);
  await fixture.keyService().inspect({ sinks: true }, signal);
  expect([await fixture.keyService().deadKeys(), fixture.alert]).toEqual([[], []]);
  expect(await fixture.keyService().reconcile({ apply: false }, 'person anna', signal)).toEqual([]);
});

it('a key that a sink holds and the gateway has deleted is reported once by inspections', async () => {
  const { fixture } = await begunFixture();
  const current = [...fixture.gateway.keys.values()].find(({ name }) => name === 'billing.g2');
  fixture.gateway.keys.delete(current?.id ?? 0);
  for (let round = 0; round < 2; round += 1) {
    fixture.elapse(hour);
    await fixture.keyService().inspect({ sinks: true }, signal);
  }
  expect(await fixture.keyService().deadKeys()).toMatchObject([{ name: 'billing.g2', state: 'deleted' }]);
  expect(fixture.alert).toHaveLength(1);
});
