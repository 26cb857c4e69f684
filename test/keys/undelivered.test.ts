import { readFile, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { fault, noProgress } from '../../src/core/index.ts';
import { fingerprintOf } from '../../src/keys/sinks/fingerprint.ts';
import { crash, engineFixture, hour, memorySink } from './engine-fixture.ts';

const signal = new AbortController().signal;

/** A sink that refuses so many deliveries. */
const sluggish = (refusals: number) => {
  let left = refusals;
  const sink = memorySink('memory:one', {
    deliver: async (key) => {
      left -= 1;
      if (left >= 0) throw fault('sink-failed', 'the disk is full');
      sink.contents.value = key.reveal();
      return {};
    },
  });
  return sink;
};

it('a delivery that fails twice is repeated within the call, with the same key', async () => {
  await using fixture = await engineFixture();
  fixture.state.sinks = [sluggish(2).sink];
  const ids = [await fixture.start(fixture.gateway.add('billing.g1'))];
  const [advanced] = await fixture.keyService().advance({ ids, signal, progress: noProgress, retries: true });
  expect(advanced).toMatchObject({ fault: undefined, view: { stage: 'current', tries: 0 } });
  expect(fixture.gateway.writes.create).toBe(1);
});

it('a key that no sink took is deleted when the process ends, and the next one creates another', async () => {
  await using fixture = await engineFixture();
  fixture.state.sinks = [sluggish(3).sink];
  const old = fixture.gateway.add('billing.g1');
  const ids = [await fixture.start(old)];
  await fixture.keyService().advance({ ids, signal, progress: noProgress, retries: true });
  expect(fixture.names()).toEqual(['billing.g1', 'billing.g2']);
  await fixture.keyService().releaseUndelivered(signal);
  expect(fixture.names()).toEqual(['billing.g1']);
  await fixture.restart();
  await fixture.advance(ids);
  expect(fixture.names()).toEqual(['billing.g1', 'billing.g3']);
});

it('a key that a sink may hold stays when the process ends', async () => {
  await using fixture = await engineFixture();
  const silent = memorySink('webhook:one', {
    fingerprint: async () => ({ state: 'unreadable', why: 'it shows no key' }),
  });
  const half = memorySink('memory:half', {
    deliver: async (key) => {
      half.contents.value = key.reveal();
      throw fault('sink-failed', 'the answer was lost');
    },
  });
  for (const { sink } of [half, silent]) {
    fixture.state.sinks = [
      {
        ...sink,
        deliver: async (...given) =>
          sink.deliver(...given).then(() => Promise.reject(fault('sink-failed', 'lost'))),
      },
    ];
    const id = await fixture.start(
      fixture.gateway.add(`${sink.place.split(':')[1] ?? ''}.g1`),
      {},
      sink.place.split(':')[1],
    );
    await fixture.advance([id]);
    const before = fixture.names();
    await fixture.keyService().releaseUndelivered(signal);
    expect(fixture.names()).toEqual(before);
  }
});

it('three requests without an answer do not block a rotation whose sink cannot be read back', async () => {
  await using fixture = await engineFixture();
  const webhook = memorySink('webhook:one', {
    fingerprint: async () => ({ state: 'unreadable', why: 'it shows no key' }),
    deliver: async (key) => ({ fingerprint: fingerprintOf(key.reveal()) }),
  });
  fixture.state.sinks = [webhook.sink];
  fixture.gateway.faults.create = ['after', 'after', 'after'];
  await fixture.begun({ tries: 9 });
  for (let round = 0; round < 60 && fixture.names().length > 0; round += 1) {
    await fixture.later(15 * 60_000);
  }
  // Each attempt is deleted once the log is complete past it, and the fourth is delivered.
  expect(fixture.names()).toEqual(['billing.g1', 'billing.g5']);
  expect(fixture.gateway.deleted.map(({ name }) => name).toSorted()).toEqual([
    'billing.g2',
    'billing.g3',
    'billing.g4',
  ]);
});

it('an attempt without an answer is retained while the audit file lacks a step of the database', async () => {
  await using fixture = await engineFixture();
  const webhook = memorySink('webhook:one', {
    fingerprint: async () => ({ state: 'unreadable', why: 'it shows no key' }),
  });
  fixture.state.sinks = [webhook.sink];
  fixture.gateway.faults.create = ['after'];
  await fixture.advance([await fixture.start(fixture.gateway.add('billing.g1'), { tries: 9 })]);
  const [first] = (await readFile(fixture.path(), 'utf8')).split('\n');
  await writeFile(fixture.path(), `${first ?? ''}\n`);
  for (let round = 0; round < 12; round += 1) {
    fixture.elapse(15 * 60_000);
    await fixture.advance().catch(() => undefined);
  }
  expect(fixture.names()).toContain('billing.g2');
});

it('a process that dies after each creation leaves three undelivered keys at most, also while lists are late', async () => {
  await using fixture = await engineFixture();
  fixture.state.logLag = 10 * hour;
  const id = await fixture.start(fixture.gateway.add('billing.g1'));
  let isDead = false;
  fixture.state.at = (what) => {
    isDead ||= what.startsWith('before record verifying');
    if (isDead) throw crash;
  };
  for (let life = 0; life < 12; life += 1) {
    await fixture.advance([id]).catch(() => undefined);
    isDead = false;
    await fixture.restart();
    fixture.elapse(5000);
    // The list does not show the newest key yet.
    fixture.gateway.hidden.clear();
    fixture.gateway.hidden.add(Math.max(...fixture.gateway.keys.keys()));
  }
  expect(fixture.names()).toEqual(['billing.g1', 'billing.g2', 'billing.g3', 'billing.g4']);
});
