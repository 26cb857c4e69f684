import { describe, expect, it } from 'vitest';
import type { RotationTerms } from '../../src/keys/index.ts';
import { chaosFactor, isLong } from '../support/storm.ts';
import {
  crash,
  engineFixture,
  hour,
  memorySink,
  sealedSink,
  webhookSink,
  type Backup,
  type EngineFixture,
} from './engine-fixture.ts';
import { openRotations } from '../../src/keys/model/key-state.ts';

type MadeSink = ReturnType<typeof memorySink>;

type Variant = {
  readonly sinks: () => readonly MadeSink[];
  readonly retire: RotationTerms['retire']['when'];
  /** The answer to the first create. */
  readonly lost?: 'before' | 'after';
  /** A person makes a key of the next generation, and uses it, when the copy is put back. */
  readonly person?: boolean;
  /** The process that the copy was taken of works on beside the one that the copy is put into. */
  readonly beside?: boolean;
};

const two = (): readonly MadeSink[] => [memorySink('memory:one'), memorySink('memory:two')];
const withWebhook = (): readonly MadeSink[] => [memorySink('memory:one'), webhookSink()];
const withSealed = (): readonly MadeSink[] => [memorySink('memory:one'), sealedSink()];

const variants: Readonly<Record<string, Variant>> = {
  'sinks that are read back': { sinks: two, retire: 'unused' },
  'a leaked key': { sinks: two, retire: 'now' },
  'an overlap that ends by the clock': { sinks: two, retire: 'after-overlap' },
  'a webhook': { sinks: withWebhook, retire: 'unused' },
  'a sealed file that a person confirms': { sinks: withSealed, retire: 'unused' },
  'a lost answer': { sinks: two, retire: 'unused', lost: 'after' },
  'a lost answer and a webhook': { sinks: withWebhook, retire: 'unused', lost: 'after' },
  'a request that never arrived': { sinks: two, retire: 'unused', lost: 'before' },
  'a key that a person makes': { sinks: two, retire: 'unused', person: true },
  'a key that a person makes, and a lost answer': {
    sinks: two,
    retire: 'unused',
    lost: 'after',
    person: true,
  },
  'two processes': { sinks: two, retire: 'unused', beside: true },
  'two processes and a lost answer': { sinks: two, retire: 'unused', lost: 'after', beside: true },
};

const terms = ({ retire }: Variant) => ({
  retire: { when: retire, quiet: hour, ending: 'delete' as const },
  tries: 50,
});

/** Lets a process live until it dies, or for so many half hours. */
const live = async (
  fixtures: readonly EngineFixture[],
  old: number,
  sinks: readonly MadeSink[],
  variant: Variant,
  theirs: number | undefined,
  rounds: number,
): Promise<void> => {
  for (let round = 0; round < rounds; round += 1) {
    for (const fixture of fixtures) {
      const isIdle = openRotations(fixture.journal().state('main')).length === 0;
      if (isIdle && fixture.gateway.keys.has(old)) await fixture.start(old, terms(variant));
      await fixture.advance();
      await confirm(fixture);
    }
    const [first] = fixtures;
    if (first === undefined) return;
    const used = [...first.gateway.keys.values()].filter(
      ({ id, plaintext }) => id === theirs || sinks.some(({ contents }) => contents.value === plaintext),
    );
    for (const { name } of used) for (const fixture of fixtures) fixture.used(name, 0);
    first.elapse(hour / 2);
  }
};

/** The person who can open the sealed file says what is in it. */
const confirm = async (fixture: EngineFixture): Promise<void> => {
  const [open] = openRotations(fixture.journal().state('main'));
  const attempt = open?.attempts.findLast(({ state }) => state === 'delivering');
  const { fingerprint, places = {} } = attempt ?? {};
  if (fingerprint === undefined || places['age:anna']?.done !== true) return;
  if (places['age:anna'].proof === undefined)
    await fixture.keyService().confirm('billing', fingerprint, 'person anna');
};

/** What is never to be seen, at any moment. */
const watch = (
  fixture: EngineFixture,
  sinks: readonly MadeSink[],
  wrong: Set<string>,
  theirs: () => number | undefined,
) => {
  for (const { sink, contents } of sinks)
    if (!fixture.gateway.works(contents.value ?? '')) wrong.add(`${sink.place} holds a dead key`);
  const id = theirs();
  if (id !== undefined && !fixture.gateway.keys.has(id)) wrong.add('the key of a person was deleted');
};

type Played = {
  readonly records: readonly string[];
  readonly wrong: readonly string[];
  readonly stopped: boolean;
};

/** A rotation whose data folder is copied behind one record and put back behind another. */
const play = async (variant: Variant, copiedAt: number, putBackAt: number): Promise<Played> => {
  await using fixture = await engineFixture();
  await using other = await engineFixture({ beside: fixture });
  const sinks = variant.sinks();
  const old = fixture.gateway.add('billing.g1');
  for (const { contents } of sinks) contents.value = fixture.gateway.plaintextOf(old);
  for (const one of [fixture, other]) one.state.sinks = sinks.map(({ sink }) => sink);
  if (variant.lost !== undefined) fixture.gateway.faults.create.push(variant.lost);
  let theirs: number | undefined;
  let copy: Backup | undefined;
  let isDead = false;
  const records: string[] = [];
  const wrong = new Set<string>();
  const look = (): void => watch(fixture, sinks, wrong, () => theirs);
  other.state.at = look;
  fixture.state.at = async (what) => {
    if (isDead) throw crash;
    look();
    if (!what.startsWith('after record')) return;
    records.push(what.slice('after record '.length));
    if (records.length === copiedAt) copy = await fixture.backUp();
    if (records.length !== putBackAt || variant.beside === true) return;
    isDead = true;
    throw crash;
  };
  const isOver = (): boolean => records.length >= putBackAt;
  for (let round = 0; round < 14 && !isOver(); round += 1)
    await live([fixture], old, sinks, variant, undefined, 1).catch((error: unknown) => {
      if (!isDead) throw error;
    });
  if (copy === undefined) return { records, wrong: [...wrong], stopped: false };
  isDead = false;
  fixture.state.at = look;
  if (variant.person === true) theirs = fixture.gateway.add('billing.g2');
  const restored = variant.beside === true ? other : fixture;
  restored.state.calls = [...fixture.state.calls];
  await restored.load(copy);
  await live(variant.beside === true ? [fixture, other] : [fixture], old, sinks, variant, theirs, 14);
  look();
  const stopped = (await restored.keyService().outdated()).length > 0;
  return { records, wrong: [...wrong], stopped };
};

/** Behind which records something was made or delivered that a copy of before does not know of. */
const hasUnknown = (records: readonly string[], copiedAt: number): boolean =>
  records.slice(copiedAt).some((what) => what === 'creating' || what.startsWith('delivering'));

describe('a restored data folder', () => {
  it.each(Object.entries(variants))(
    'leaves no sink with a dead key and deletes nothing in use: %s',
    async (_, variant) => {
      const { records } = await play({ ...variant, beside: false }, Infinity, Infinity);
      expect(records.length).toBeGreaterThan(12);
      const pairs = records.flatMap((__, from) =>
        records.slice(from).map((___, on) => [from + 1, from + 1 + on] as const),
      );
      const step = isLong ? 1 : Math.ceil(pairs.length / (4 * chaosFactor));
      const found: string[] = [];
      for (const [copiedAt, putBackAt] of pairs.filter((__, index) => index % step === 0)) {
        const { wrong, stopped } = await play(variant, copiedAt, putBackAt);
        const where = `copied behind ${copiedAt} ${records[copiedAt - 1]}, put back behind ${putBackAt} ${records[putBackAt - 1]}`;
        found.push(...wrong.map((message) => `${where}: ${message}`));
        const isReadable = variant.sinks === two && variant.lost === undefined;
        if (isReadable && hasUnknown(records.slice(0, putBackAt - 1), copiedAt) && !stopped)
          found.push(`${where}: key writes go on`);
      }
      expect(found).toEqual([]);
    },
  );
});
