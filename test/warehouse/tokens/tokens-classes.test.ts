import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { optionsIn, testFolder, openNew } from '../support.ts';
import {
  classesBy,
  counts,
  inputClasses,
  landCalls,
  openWithRules,
  outputClasses,
  type Classes,
  type CountName,
  type LoggedCall,
} from './tokens-support.ts';
import { approved, titled } from '../../support/approved.ts';
import { few } from '../../support/storm.ts';
import { inDatabase, isOnPostgres } from '../../support/postgres-warehouse.ts';

/** A call as it is logged, and its classes that are not 0, by their short names. */
const shown = (call: LoggedCall, classes: Classes | undefined): string =>
  [
    Object.entries(call)
      .map(([name, value]) => `${name} ${value ?? 'unknown'}`)
      .join(', '),
    ...Object.entries(classes ?? {})
      .filter(([, value]) => value !== 0n)
      .map(([name, value]) => `${name.replace('_tokens', '')}: ${value ?? 'unknown'}`),
  ].join('\n');

const reported = {
  prompt_tokens: 0,
  completion_tokens: 0,
  cached_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  audio_tokens: 0,
  audio_input_tokens: 0,
  audio_output_tokens: 0,
  image_tokens: 0,
};

const unknownCache = { cached_tokens: undefined as never };
const examples: readonly (readonly [string, LoggedCall])[] = [
  [
    'all of a prompt that includes the cache',
    {
      model: 'in-1',
      prompt_tokens: 100,
      cached_tokens: 50,
      cache_write_tokens: 20,
      audio_input_tokens: 4,
      image_tokens: 6,
    },
  ],
  [
    'a prompt that the cache comes on top of',
    { model: 'ex-1', prompt_tokens: 100, cached_tokens: 500, cache_write_tokens: 20 },
  ],
  [
    'what could be either, where nothing is decided',
    { model: 'open', prompt_tokens: 100, cached_tokens: 30, cache_write_tokens: 10, image_tokens: 5 },
  ],
  ['a call without cached tokens, where nothing is decided', { model: 'open', prompt_tokens: 100 }],
  [
    'more cached tokens than the prompt that includes them',
    { model: 'in-1', prompt_tokens: 100, cached_tokens: 70, cache_write_tokens: 31, image_tokens: 1 },
  ],
  [
    'cached audio, counted as both',
    { model: 'in-1', prompt_tokens: 100, cached_tokens: 70, audio_input_tokens: 40 },
  ],
  [
    'an unknown count of cached tokens, in a prompt that may include some',
    { model: 'in-1', prompt_tokens: 100, ...unknownCache, image_tokens: 10 },
  ],
  [
    'an unknown count of cached tokens, which are not part of the prompt',
    { model: 'ex-1', prompt_tokens: 100, ...unknownCache },
  ],
  [
    'all of a completion',
    { model: 'in-1', completion_tokens: 100, reasoning_tokens: 60, audio_output_tokens: 30 },
  ],
  [
    'more reasoning than the completion that includes it',
    { model: 'in-1', completion_tokens: 100, reasoning_tokens: 101 },
  ],
  [
    'a completion that reasoning comes on top of',
    { model: 'ex-1', completion_tokens: 100, reasoning_tokens: 300, audio_output_tokens: 30 },
  ],
  [
    'reasoning of a completion of which nothing is decided',
    { model: 'open', completion_tokens: 100, reasoning_tokens: 60, audio_output_tokens: 30 },
  ],
  [
    'audio of either side',
    {
      prompt_tokens: 100,
      completion_tokens: 10,
      audio_tokens: 40,
      audio_input_tokens: undefined as never,
      audio_output_tokens: undefined as never,
    },
  ],
  ['a negative count', { model: 'in-1', prompt_tokens: 100, cached_tokens: 10, image_tokens: -50 }],
];

const small = fc.integer({ min: 0, max: 60 });
const count = fc.oneof(
  { weight: 6, arbitrary: small },
  { weight: 2, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constantFrom(999_999_999_999_999, 1_000_000, 100_000_000_000_000) },
  { weight: 1, arbitrary: fc.integer({ min: -60, max: -1 }) },
);

const call = fc.record({
  model: fc.constantFrom('in-1', 'ex-1', 'open-1', 'open-2', 'ex-'),
  kind: fc.constantFrom('consumption', 'consumption', 'refund', 'error'),
  ...Object.fromEntries(counts.map((name) => [name, count])),
}) as fc.Arbitrary<Omit<LoggedCall, 'at' | 'key'>>;

const sumOf = (classes: Classes, names: readonly (keyof Classes)[]): bigint =>
  names.reduce((sum, name) => sum + (classes[name] ?? 0n), 0n);

const countOf = (one: LoggedCall, name: CountName): bigint | null => {
  const value = one[name];
  return value === undefined || value < 0 ? null : BigInt(value);
};

describe('the classes of a call', () => {
  it('classify what is certain and leave the rest unclassified', async () => {
    const { folder, warehouse } = await openNew(openWithRules);
    // Of a call without a prompt count, none of the counts that are left out is 0.
    const unstated = { model: 'ex-1', cached_tokens: 7, completion_tokens: 9 };
    const calls: readonly (readonly [string, LoggedCall, LoggedCall])[] = [
      ...examples.map(([title, call]) => [title, call, { ...reported, ...call }] as const),
      ['an unknown prompt count', unstated, unstated],
    ];
    await landCalls(
      warehouse,
      folder,
      calls.map(([title, , call]) => ({ ...call, key: title.replaceAll(',', '') })),
    );
    const found = await classesBy(warehouse, 'token_name');
    const texts = calls.map(
      ([title, call]) => [title, shown(call, found.get(title.replaceAll(',', '')))] as const,
    );
    await expect(titled(texts)).toMatchFileSnapshot(approved('warehouse/token-classes'));
  });

  it('add up to the totals per call and in sums, and are never negative or larger than what was served', async () => {
    const { folder, warehouse } = await openNew(openWithRules);
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 60 }), async (made) => {
        const calls = made.map((one, at) => ({ ...one, key: `key-${at}` }));
        await landCalls(warehouse, folder, calls);
        const decided = new Map(
          (await warehouse.tokens.conventions('main')).map(({ model, convention, output }) => [
            model,
            [convention, output.convention],
          ]),
        );
        const found = await classesBy(warehouse, 'token_name');
        expect(found.size).toBe(calls.length);
        const totals = { input: 0n, output: 0n };
        for (const one of calls) {
          const classes = found.get(one.key);
          if (classes === undefined) throw new Error(`nothing of ${one.key}`);
          for (const value of Object.values(classes)) expect(value ?? 0n).toBeGreaterThanOrEqual(0n);
          const prompt = countOf(one, 'prompt_tokens');
          const cache = (countOf(one, 'cached_tokens') ?? 0n) + (countOf(one, 'cache_write_tokens') ?? 0n);
          const onTop = decided.get(one.model ?? '')?.[0] === 'excludes_cache' ? cache : 0n;
          expect(classes.input_tokens).toBe(prompt === null ? null : prompt + onTop);
          const completion = countOf(one, 'completion_tokens');
          const excludes = decided.get(one.model ?? '')?.[1] === 'excludes_reasoning';
          const thought = excludes ? (countOf(one, 'reasoning_tokens') ?? 0n) : 0n;
          expect(classes.output_tokens).toBe(completion === null ? null : completion + thought);
          expect(sumOf(classes, inputClasses)).toBe(classes.input_tokens ?? 0n);
          expect(sumOf(classes, outputClasses)).toBe(classes.output_tokens ?? 0n);
          // What is told is what was served, or not told at all.
          for (const [name, served] of [
            ['input_cache_read_tokens', 'cached_tokens'],
            ['input_cache_write_tokens', 'cache_write_tokens'],
            ['input_audio_tokens', 'audio_input_tokens'],
            ['input_image_tokens', 'image_tokens'],
            ['output_reasoning_tokens', 'reasoning_tokens'],
            ['output_audio_tokens', 'audio_output_tokens'],
          ] as const)
            expect([null, countOf(one, served)]).toContain(classes[name]);
          totals.input += classes.input_tokens ?? 0n;
          totals.output += classes.output_tokens ?? 0n;
        }
        const whole = (await classesBy(warehouse, 'period')).get('current');
        if (whole === undefined) throw new Error('nothing at all');
        expect(whole.input_tokens ?? 0n).toBe(totals.input);
        expect(whole.output_tokens ?? 0n).toBe(totals.output);
        expect(sumOf(whole, inputClasses)).toBe(totals.input);
        expect(sumOf(whole, outputClasses)).toBe(totals.output);
      }),
      { numRuns: few(5, 30) },
    );
  });

  it('support counts of 18 digits', async () => {
    const { folder, warehouse } = await openNew(openWithRules);
    const line = (name: CountName) => (name === 'audio_tokens' ? 0 : ('9'.repeat(18) as unknown as number));
    const huge = Object.fromEntries(counts.map((name) => [name, line(name)])) as LoggedCall;
    await landCalls(
      warehouse,
      folder,
      ['in-1', 'ex-1', 'open'].flatMap((model) => [
        { ...huge, model },
        { ...huge, model },
      ]),
    );
    const found = await classesBy(warehouse, 'model_name');
    const one = 999_999_999_999_999_999n;
    expect(found.get('in-1')?.input_unclassified_tokens).toBe(2n * one);
    expect(found.get('ex-1')?.input_tokens).toBe(6n * one);
    expect(sumOf(found.get('ex-1') ?? ({} as Classes), inputClasses)).toBe(6n * one);
    expect(found.get('open')?.output_unclassified_tokens).toBe(2n * one);
  });

  it.skipIf(isOnPostgres)('are a view of the database, call by call', async () => {
    await using folder = await testFolder();
    const { path } = optionsIn(folder);
    {
      await using warehouse = await openWithRules(folder);
      await landCalls(warehouse, folder, [
        { ...reported, model: 'ex-1', prompt_tokens: 5, cached_tokens: 7 },
      ]);
      await warehouse.tokens.judge('main');
    }
    const sql = `SELECT model_name, token_convention, prompt_tokens, input_tokens, input_cache_read_tokens, input_unclassified_tokens
      FROM call_classes`;
    expect(await inDatabase(path, sql)).toEqual([['ex-1', 'excludes_cache', '5', '12', '7', '0']]);
  });
});
