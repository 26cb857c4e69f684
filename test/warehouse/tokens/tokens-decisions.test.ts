import { describe, expect, it } from 'vitest';
import { unixMillis } from '../../../src/core/index.ts';
import { type ModelConvention } from '../../../src/warehouse/index.ts';
import { isOnPostgres, openWarehouse } from '../../support/postgres-warehouse.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { openIn, openInMemory, optionsIn, testFolder, openNew } from '../support.ts';
import { classesBy, day, landCalls, type LoggedCall } from './tokens-support.ts';

/** Calls of all sizes at 2 a million for text, 0.2 for cached tokens and 8 for completions. */
const priced = (includes: boolean, change: Partial<LoggedCall> = {}): LoggedCall[] =>
  Array.from({ length: 60 }, (_, at) => {
    const [text, cached, out] = [
      9000 + ((at * 7919) % 900),
      at % 3 === 0 ? 0 : 128 * (1 + (at % 11)),
      20 + (at % 17),
    ];
    return {
      at: day + at,
      prompt_tokens: includes ? text + cached : text,
      cached_tokens: cached,
      completion_tokens: out,
      quota: `0.${String(text * 20 + cached * 2 + out * 80).padStart(7, '0')}`,
      ...change,
    };
  });

/** A call that holds more cached tokens than its prompt. */
const proof: LoggedCall = { at: day + 77, prompt_tokens: 5, cached_tokens: 900, completion_tokens: 1 };
const plain: LoggedCall = { prompt_tokens: 1000, cached_tokens: 900, completion_tokens: 1 };

describe('the convention of prompt tokens', () => {
  it('is proven by one call with more cached than prompt tokens, and stored with the call', async () => {
    const { folder, warehouse } = await openNew(openInMemory);
    await landCalls(warehouse, folder, [
      plain,
      { ...proof, at: day + 80 },
      proof,
      { ...plain, model: 'other' },
    ]);
    expect(await warehouse.tokens.conventions('main')).toMatchObject([
      {
        model: 'model',
        convention: 'excludes_cache',
        decidedBy: 'rows',
        contradicted: false,
        evidence: {
          calls: 3,
          cacheCalls: 3,
          excludesCalls: 2,
          witness: { at: day + 77, prompt: 5, cached: 900 },
        },
      },
      { model: 'other', convention: undefined, decidedBy: undefined, evidence: { calls: 1, cacheCalls: 1 } },
    ]);
    const classes = await classesBy(warehouse, 'model_name');
    expect(classes.get('model')).toMatchObject({ input_tokens: 3710n, input_cache_read_tokens: 2700n });
    expect(classes.get('other')).toMatchObject({ input_tokens: 1000n, input_unclassified_tokens: 900n });
  });

  it('is derived from the calls whose export had the column, on a day on which it appears', async () => {
    const { folder, warehouse } = await openNew(openInMemory);
    const half = { days: 0.5 };
    await landCalls(warehouse, folder, priced(false), { ...half, without: ['cached_tokens'] });
    const noon = day + 43_200;
    const later = priced(false).map((call, at) => ({ ...call, at: noon + at }));
    await landCalls(warehouse, folder, later, { ...half, from: noon });
    expect(await warehouse.tokens.conventions('main')).toMatchObject([
      { convention: 'excludes_cache', decidedBy: 'price', evidence: { excludesPrice: { calls: 60 } } },
    ]);
  });

  it('is derived from a month when a day has few calls', async () => {
    const { folder, warehouse } = await openNew(openInMemory);
    const spread = priced(true).map((call, at) => ({ ...call, at: day + (at % 20) * 86_400 }));
    await landCalls(warehouse, folder, spread, { days: 20 });
    expect(await warehouse.tokens.conventions('main')).toMatchObject([
      { convention: 'includes_cache', evidence: { includesPrice: { day: day + 19 * 86_400, days: 31 } } },
    ]);
  });

  it('is undecided again when two proofs contradict each other, and both are reported', async () => {
    const { folder, warehouse } = await openNew(openInMemory);
    await landCalls(warehouse, folder, priced(true));
    expect(await warehouse.tokens.conventions('main')).toMatchObject([{ convention: 'includes_cache' }]);
    await landCalls(warehouse, folder, [{ ...proof, at: day + 86_400 }], { from: day + 86_400 });
    expect(await warehouse.tokens.conventions('main')).toMatchObject([
      {
        convention: undefined,
        decidedBy: undefined,
        contradicted: true,
        evidence: { excludesCalls: 1, includesPrice: { shows: 'includes_cache' } },
      },
    ]);
  });

  it('is evaluated again when calls arrive and when a day is pulled again', async () => {
    const { folder, warehouse } = await openNew(openInMemory);
    const convention = async () => (await warehouse.tokens.conventions('main'))[0]?.convention;
    expect(await convention()).toBeUndefined();
    await landCalls(warehouse, folder, [plain]);
    expect(await convention()).toBeUndefined();
    await landCalls(warehouse, folder, [{ ...proof, at: day + 86_400 }], { from: day + 86_400 });
    expect(await convention()).toBe('excludes_cache');
    await landCalls(warehouse, folder, [{ ...plain, at: day + 86_400 }], { from: day + 86_400 });
    expect(await convention()).toBeUndefined();
    await landCalls(warehouse, folder, [proof]);
    expect(await convention()).toBe('excludes_cache');
  });

  it('is evaluated independently of the clock when calls land', async () => {
    await using folder = await testFolder();
    const clock = manualClock(Date.UTC(2026, 3, 1));
    await using warehouse = await openWarehouse({ ...optionsIn(folder), clock });
    const seen = async () => (await warehouse.tokens.conventions('main'))[0]?.evidence;
    await landCalls(warehouse, folder, [plain]);
    expect(await seen()).toMatchObject({ calls: 1, excludesCalls: 0 });
    // At the same moment, after one that was judged.
    await landCalls(warehouse, folder, [{ ...proof, at: day + 86_400 }], { from: day + 86_400 });
    expect(await seen()).toMatchObject({ calls: 2, excludesCalls: 1 });
    clock.set(unixMillis(Date.UTC(2026, 2, 30)));
    await landCalls(warehouse, folder, [{ ...plain, at: day + 172_800 }], { from: day + 172_800 });
    expect(await seen()).toMatchObject({ calls: 3, excludesCalls: 1 });
  });

  it.skipIf(isOnPostgres)(
    'stays proven after the calls left the table, also when everything is evaluated again',
    async () => {
      await using folder = await testFolder();
      const clock = manualClock(Date.UTC(2026, 5, 1));
      await using warehouse = await openWarehouse({ ...optionsIn(folder), clock });
      await landCalls(warehouse, folder, priced(true));
      await landCalls(warehouse, folder, [{ ...proof, model: 'other', at: day + 86_400 }], {
        from: day + 86_400,
      });
      const decided = async () =>
        (await warehouse.tokens.conventions('main')).map(({ model, convention }) => [model, convention]);
      const before = await decided();
      expect(before).toEqual([
        ['model', 'includes_cache'],
        ['other', 'excludes_cache'],
      ]);
      expect(await warehouse.archive.run({ account: 'main', settle: 0, retain: 1 })).toMatchObject({
        left: 1,
      });
      clock.set(unixMillis(Date.UTC(2026, 4, 30)));
      await landCalls(warehouse, folder, [{ ...plain, at: day + 40 * 86_400 }], { from: day + 40 * 86_400 });
      expect(await decided()).toEqual(before);
    },
  );

  it('follows the configuration for the closest name, and contradictions are reported', async () => {
    const { folder, warehouse } = await openNew(openInMemory);
    const calls = ['claude-a', 'claude-b', 'gpt-a', 'gpt-mini'].map((model) => ({ ...plain, model }));
    await landCalls(warehouse, folder, [
      ...calls,
      { ...proof, model: 'claude-a' },
      { ...proof, model: 'gpt-a' },
    ]);
    await warehouse.tokens.configure('main', {
      '*': 'excludes_cache',
      'claude-*': 'includes_cache',
      'claude-b': 'excludes_cache',
      '*mini': 'includes_cache',
      'gpt-*': 'excludes_cache',
    });
    const decided = async () =>
      (await warehouse.tokens.conventions('main')).map((one: ModelConvention) => [
        one.model,
        one.convention,
        one.decidedBy,
        one.contradicted,
        one.evidence.rule,
      ]);
    expect(await decided()).toEqual([
      ['claude-a', 'includes_cache', 'configured', true, 'claude-*'],
      ['claude-b', 'excludes_cache', 'configured', false, 'claude-b'],
      ['gpt-a', 'excludes_cache', 'configured', false, 'gpt-*'],
      // Of two that say as much, the first in the order of letters.
      ['gpt-mini', 'includes_cache', 'configured', false, '*mini'],
    ]);
    // The call that contradicts the rule can't be split by it.
    expect((await classesBy(warehouse, 'model_name')).get('claude-a')).toMatchObject({
      input_tokens: 1005n,
      input_cache_read_tokens: 900n,
      input_unclassified_tokens: 5n,
    });
    await warehouse.tokens.configure('main', {});
    expect(await decided()).toEqual([
      ['claude-a', 'excludes_cache', 'rows', false, undefined],
      ['claude-b', undefined, undefined, false, undefined],
      ['gpt-a', 'excludes_cache', 'rows', false, undefined],
      ['gpt-mini', undefined, undefined, false, undefined],
    ]);
  });

  it('is separate for each account and stored in the file', async () => {
    await using folder = await testFolder();
    {
      await using warehouse = await openIn(folder);
      await warehouse.tokens.configure('main', { model: 'includes_cache' });
      await landCalls(warehouse, folder, [plain]);
      await landCalls(warehouse, folder, [plain, proof], { account: 'other' });
    }
    await using warehouse = await openIn(folder);
    expect(await warehouse.tokens.conventions('main')).toMatchObject([{ decidedBy: 'configured' }]);
    expect(await warehouse.tokens.conventions('other')).toMatchObject([{ decidedBy: 'rows' }]);
    expect(await warehouse.tokens.conventions('nobody')).toEqual([]);
    expect((await classesBy(warehouse, 'period')).get('current')).toMatchObject({ input_tokens: 1000n });
    expect((await classesBy(warehouse, 'period', 'other')).get('current')).toMatchObject({
      input_tokens: 2805n,
    });
  });

  it('is logged when it is decided, and causes a warning when it is contradicted', async () => {
    await using folder = await testFolder();
    const lines: string[] = [];
    const note =
      (level: string) =>
      (message: string, fields: object = {}): void => {
        lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
      };
    const log = { ...optionsIn(folder).log, info: note('info'), warn: note('warn') };
    await using warehouse = await openWarehouse({ ...optionsIn(folder), log });
    await landCalls(warehouse, folder, [proof]);
    await warehouse.tokens.judge('main');
    await warehouse.tokens.judge('main');
    await warehouse.tokens.configure('main', { '*': 'includes_cache' });
    await warehouse.tokens.configure('main', { '*': 'includes_cache' });
    expect(lines.filter((line) => line.includes('prompt tokens')).map((line) => line.slice(0, 4))).toEqual([
      'info',
      'warn',
    ]);
  });
});

/** Calls at 2 a million for text and 8 for output, reasoning included in that or on top of the completion. */
const reasoned = (includes: boolean, change: Partial<LoggedCall> = {}): LoggedCall[] =>
  Array.from({ length: 60 }, (_, at) => {
    const [text, plain, reasoning] = [
      9000 + ((at * 7919) % 900),
      900 + (at % 17),
      at % 3 === 0 ? 0 : 40 + at * 7,
    ];
    return {
      at: day + at,
      prompt_tokens: text,
      completion_tokens: includes ? plain + reasoning : plain,
      reasoning_tokens: reasoning,
      quota: `0.${String(text * 20 + (plain + reasoning) * 80).padStart(7, '0')}`,
      ...change,
    };
  });

/** A call with more reasoning than completion. */
const thought: LoggedCall = { at: day + 77, prompt_tokens: 5, completion_tokens: 100, reasoning_tokens: 900 };

describe('the convention of completion tokens', () => {
  it('is proven by one call with more reasoning than completion tokens, and stored with the call', async () => {
    const { folder, warehouse } = await openNew(openInMemory);
    const less = { prompt_tokens: 5, completion_tokens: 100, reasoning_tokens: 60 };
    await landCalls(warehouse, folder, [less, thought, { ...less, model: 'other' }]);
    expect(await warehouse.tokens.conventions('main')).toMatchObject([
      {
        model: 'model',
        convention: undefined,
        output: {
          convention: 'excludes_reasoning',
          decidedBy: 'rows',
          contradicted: false,
          evidence: {
            calls: 2,
            reasoningCalls: 2,
            excludesCalls: 1,
            witness: { at: day + 77, completion: 100 },
          },
        },
      },
      { model: 'other', output: { convention: undefined, evidence: { calls: 1, reasoningCalls: 1 } } },
    ]);
    const classes = await classesBy(warehouse, 'model_name');
    expect(classes.get('model')).toMatchObject({
      output_tokens: 1160n,
      output_plain_tokens: 200n,
      output_reasoning_tokens: 960n,
    });
    expect(classes.get('other')).toMatchObject({ output_tokens: 100n, output_unclassified_tokens: 60n });
  });

  it('is undecided when charges and calls contradict each other, and follows the configuration', async () => {
    const { folder, warehouse } = await openNew(openInMemory);
    await landCalls(warehouse, folder, [...reasoned(true), { ...thought, key: 'other' }]);
    const decided = async () =>
      (await warehouse.tokens.conventions('main')).map(({ output }) => [
        output.convention,
        output.decidedBy,
        output.contradicted,
        output.evidence.rule,
      ]);
    expect(await decided()).toEqual([[undefined, undefined, true, undefined]]);
    await warehouse.tokens.configure('main', {}, { 'mod*': 'excludes_reasoning' });
    expect(await decided()).toEqual([['excludes_reasoning', 'configured', true, 'mod*']]);
  });
});

describe.each([
  ['prompt', proof, priced, 'cache'],
  ['completion', thought, reasoned, 'reasoning'],
] as const)('the convention of %s tokens', (side, witness, charged, part) => {
  const countName = `${side}_tokens` as const;
  const partName = part === 'cache' ? 'cached_tokens' : 'reasoning_tokens';

  /** What is known of the side after these calls. */
  const after = async (calls: readonly LoggedCall[]) => {
    const { folder, warehouse } = await openNew(openInMemory);
    await landCalls(warehouse, folder, calls);
    return (await warehouse.tokens.conventions('main')).map(({ output, ...input }) =>
      part === 'cache' ? input : output,
    );
  };

  it.each([
    ['a refund', { ...witness, kind: 'refund' }],
    ['a whole of 0', { ...witness, [countName]: 0 }],
    ['an unknown count of the whole', { [partName]: 900 }],
    [
      'parts that are more than the prompt together',
      { prompt_tokens: 1000, cached_tokens: 600, cache_write_tokens: 600 },
    ],
  ])('is not proven by %s', async (_, call) => {
    expect(await after([plain, call])).toMatchObject([
      { convention: undefined, contradicted: false, evidence: { excludesCalls: 0 } },
    ]);
  });

  it.each([true, false])('is derived from the charges of calls (includes the part: %s)', async (includes) => {
    // Two keys at different prices, which no single price fits.
    const dearer = charged(includes, { key: 'dear', quota: '0.5' }).slice(0, 20);
    const shows = `${includes ? 'includes' : 'excludes'}_${part}`;
    const price = { day, days: 1, key: 'key', calls: 60, shows };
    expect(await after([...charged(includes), ...dearer])).toMatchObject([
      {
        convention: shows,
        decidedBy: 'price',
        contradicted: false,
        evidence: { [includes ? 'includesPrice' : 'excludesPrice']: price },
      },
    ]);
  });
});
