import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  fault,
  interval,
  isFault,
  sumMoney,
  money,
  unixMillis,
  unknownGateway,
  type FaultCode,
} from '../../../src/core/index.ts';
import { pullUsage, type UsagePull, type UsagePullDeps, type UsageQuery } from '../../../src/ingest/index.ts';
import type { Warehouse } from '../../../src/warehouse/index.ts';
import { runs } from '../../support/storm.ts';
import { chunksOf } from '../call-log/log-source.ts';
import { effectsWith, stopped, strikes, strikeStatements, type Effects } from '../call-log/struck-effects.ts';
import { openIn, testFolder } from '../support.ts';
import { usagePullOf, usageSource, type UsageFigure, type UsageStyle } from './usage-source.ts';

const hour = 3_600_000;
const day = 24 * hour;
const start = Date.UTC(2025, 0, 6);
const everything = interval(unixMillis(0), unixMillis(4_000_000_000_000));

/** Of each granularity: a bucket, how many there are, fewer where a gateway refuses spans, and the longest it takes then. */
const grains = {
  hour: { length: hour, most: 120, few: 36, limits: [day / 2, day] },
  day: { length: day, most: 400, few: 36, limits: [9 * day, 30 * day] },
  week: { length: 7 * day, most: 30, few: 12, limits: [40 * day, 60 * day] },
} as const;

const zones = { UTC: 0, 'Asia/Shanghai': 8 * hour } as const;

const iso = (moment: number): string => new Date(moment).toISOString();

/** How a bucket's beginning is written; dates and times without a zone are the gateway's. */
const times: readonly ((bucket: number, ahead: number) => string)[] = [
  String,
  (bucket) => String(bucket / 1000),
  iso,
  (bucket, ahead) =>
    iso(bucket + ahead)
      .slice(0, 16)
      .replace('T', ' '),
];

const refusals: readonly FaultCode[] = [
  'gateway-refused',
  'gateway-http-error',
  'gateway-timeout',
  'gateway-server-error',
  'gateway-connection-lost',
];

/** Parts of all time; most of them few, so that pulls end where figures are. */
const shares = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 6 }).map((sixths) => sixths / 6) },
  fc.integer({ min: 0, max: 1000 }).map((thousandths) => thousandths / 1000),
);

const steps = fc.record({
  wait: fc.constantFrom(0, 1 / 6, 1 / 6, 1 / 3, 1 / 2, 0.05),
  again: fc.option(fc.tuple(shares, shares), { freq: 1 }),
  strike: fc.option(strikes, { freq: 4 }),
});

const scenario = fc.record({
  granularity: fc.constantFrom('hour' as const, 'day' as const, 'week' as const),
  zone: fc.constantFrom('UTC' as const, 'Asia/Shanghai' as const),
  /** What is added to a bucket: at once, or late. */
  parts: fc.array(
    fc.record({
      at: shares,
      beside: fc.constantFrom(-1, -1, 0, 0, 1),
      entry: fc.constantFrom('gpt-4o', 'claude', 'a,b', 'text "x"', '2024'),
      value: fc
        .bigInt({ min: 1n, max: 10n ** 12n })
        .map((digits) => `${digits / 10n ** 8n}.${String(digits % 10n ** 8n).padStart(8, '0')}`),
      late: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3 * day })),
      dimension: fc.constantFrom('model', 'token'),
    }),
    { minLength: 1, maxLength: 60, size: 'max' },
  ),
  style: fc.record({
    layout: fc.constantFrom('long' as const, 'wide' as const, 'transposed' as const),
    endInclusive: fc.boolean(),
    title: fc.boolean(),
    other: fc.constantFrom(undefined, '', '0'),
    endsLines: fc.boolean(),
  }),
  time: fc.constantFrom(...times),
  limit: fc.nat(),
  refusal: fc.option(fc.constantFrom(...refusals)),
  /** Days before the cursor that are pulled again. */
  revisitDays: fc.constantFrom(0, 2, 15),
  steps: fc.array(steps, { minLength: 3, maxLength: 6 }),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;
type Part = UsageFigure & { readonly shownFrom: number; readonly dimension: string };

const linesOf = (list: readonly { bucket: number; entry: string; value: string }[]): readonly string[] =>
  list
    .map(({ bucket, entry, value }) => JSON.stringify([bucket, entry, sumMoney([money(value)])]))
    .toSorted();

/** The figures in the order of an export's lines, a line's together. */
const linesServed = (
  figures: readonly UsageFigure[],
  layout: UsageStyle['layout'],
): readonly (readonly UsageFigure[])[] => {
  if (layout === 'long') return figures.map((one) => [one]);
  const keys =
    layout === 'wide'
      ? [...new Set(figures.map(({ bucket }) => bucket))].toSorted((left, right) => left - right)
      : [...new Set(figures.map(({ entry }) => entry))];
  return keys.map((key) =>
    figures.filter(({ bucket, entry }) => (layout === 'wide' ? bucket : entry) === key),
  );
};

const play = async (
  warehouse: Warehouse,
  statements: ReturnType<typeof strikeStatements>,
  account: string,
  drawn: Scenario,
): Promise<void> => {
  const { granularity, zone } = drawn;
  const { length, most, few, limits } = grains[granularity];
  const ahead = granularity === 'hour' ? 0 : zones[zone];
  // A Monday: each granularity has a bucket that begins here.
  const first = start - ahead;
  const bucketAt = (moment: number): number => first + Math.floor((moment - first) / length) * length;
  const range = (drawn.refusal === null ? most : few) * length;
  const limit = drawn.refusal === null ? 180 * day : (limits[drawn.limit % limits.length] ?? 180 * day);
  const parts = drawn.parts.map(({ at, beside, late, ...part }): Part => {
    const bucket = bucketAt(first + Math.floor(at * range)) + beside * length;
    // A bucket is shown before it is over.
    return { ...part, bucket, shownFrom: bucket + late };
  });
  const dimensions = ['model', 'token'];
  const style = { ...drawn.style, time: (bucket: number) => drawn.time(bucket, zones[zone]) };
  let now = first;
  const stored = new Map<string, readonly UsageFigure[]>(dimensions.map((dimension) => [dimension, []]));
  const landed: {
    readonly dimension: string;
    readonly start: number;
    readonly end: number;
    readonly now: number;
  }[] = [];
  const seriesOf = (dimension: string) => ({ account, dimension, metric: 'spend', granularity });

  const shownOf = (dimension: string): readonly UsageFigure[] => {
    const shown = parts.filter((part) => part.dimension === dimension && part.shownFrom <= now);
    const names = new Set(shown.map(({ bucket, entry }) => JSON.stringify([bucket, entry])));
    return [...names].map((name) => {
      const [bucket, entry] = JSON.parse(name) as [number, string];
      const values = shown.filter((part) => part.bucket === bucket && part.entry === entry);
      return { bucket, entry, value: sumMoney(values.map(({ value }) => money(value))) };
    });
  };

  const gateway = (effects: Effects) => {
    const answers = new Map<string, readonly UsageFigure[]>();
    const fetchUsage = async (query: UsageQuery) =>
      effects.run('fetch', async () => {
        expect(query.end - query.start).toBeLessThanOrEqual(180 * day);
        if (drawn.refusal !== null && query.end - query.start > limit) throw fault(drawn.refusal, 'too long');
        const figures = shownOf(query.groupBy);
        let text = '';
        await usageSource(figures, style, (body) => (text = body)).fetchUsage(query);
        const bytes = Buffer.from(text);
        const end = effects.cutAt(bytes);
        const inRange = figures.filter(
          ({ bucket }) =>
            bucket >= query.start && (style.endInclusive ? bucket <= query.end : bucket < query.end),
        );
        const kept = bytes.subarray(0, end);
        const lines = kept.toString().split('\n').length - 1 - (style.title ? 2 : 1);
        // Without a line end it is asked for again: what lands is all of it.
        const served = linesServed(inRange, style.layout).slice(0, Math.max(0, lines)).flat();
        const whole = end === undefined;
        answers.set(query.groupBy, !whole && kept.at(-1) === 10 ? served : inRange);
        return {
          body: (async function* () {
            for await (const piece of chunksOf(kept, 500)) {
              await effects.run('piece', async () => undefined);
              yield piece;
            }
          })(),
        };
      });
    return { fetchUsage, answers };
  };

  const watched = (
    effects: Effects,
    { answers }: ReturnType<typeof gateway>,
  ): UsagePullDeps['warehouse'] => ({
    usage: {
      watermark: async (series) => effects.run('warehouse', async () => warehouse.usage.watermark(series)),
      landWindow: async (batch) => {
        const hidden = statements.hiddenCommits();
        let done = false;
        try {
          return await effects.run('warehouse', async () => {
            const result = await warehouse.usage.landWindow(batch);
            done = true;
            return result;
          });
        } finally {
          if (done || statements.hiddenCommits() > hidden) {
            const { dimension, window } = batch;
            const served = answers.get(dimension) ?? [];
            const isInside = ({ bucket }: UsageFigure): boolean =>
              bucket >= window.start && bucket < window.end;
            const others = (stored.get(dimension) ?? []).filter((one) => !isInside(one));
            stored.set(dimension, [...others, ...served.filter(isInside)]);
            landed.push({ dimension, start: window.start, end: window.end, now });
          }
        }
      },
    },
  });

  const check = async (): Promise<void> => {
    for (const dimension of dimensions) {
      const values = await warehouse.usage.values(seriesOf(dimension), everything);
      expect(linesOf(values)).toEqual(linesOf(stored.get(dimension) ?? []));
      const watermark = await warehouse.usage.watermark(seriesOf(dimension));
      for (
        let bucket = watermark?.start ?? 0;
        bucket < (watermark?.end ?? 0);
        bucket = unixMillis(bucket + length)
      )
        expect(
          landed.some((one) => one.dimension === dimension && one.start <= bucket && one.end > bucket),
        ).toBe(true);
    }
  };

  const pull = async (
    step: Partial<Scenario['steps'][number]>,
    change: Partial<UsagePull> = {},
  ): Promise<boolean> => {
    const effects = effectsWith(step.strike ?? undefined);
    const source = gateway(effects);
    const [from, to] = step.again ?? [];
    const request = usagePullOf(warehouse, source, now, {
      account,
      dimensions,
      granularity,
      since: unixMillis(first),
      ...(from === undefined ? {} : { from: unixMillis(first + Math.floor(from * range)) }),
      ...(to === undefined ? {} : { to: unixMillis(first + Math.floor(to * range)) }),
      revisitDays: drawn.revisitDays,
      profile: { ...unknownGateway, usageZone: zone },
      warehouse: watched(effects, source),
      signal: effects.signal,
      ...change,
    });
    const done = await statements.during(effects, async () =>
      pullUsage(request).then(
        () => true,
        (error: unknown) => {
          if (effects.struck() === undefined || !(isFault(error) || error === stopped)) throw error;
          return false;
        },
      ),
    );
    await check();
    return done;
  };

  for (const step of drawn.steps) {
    now += Math.floor(step.wait * range);
    const before = await Promise.all(
      dimensions.map(async (dimension) => warehouse.usage.watermark(seriesOf(dimension))),
    );
    if (!(await pull(step)) || step.again !== null || bucketAt(now) <= first) continue;
    for (const [index, dimension] of dimensions.entries()) {
      expect(await warehouse.usage.watermark(seriesOf(dimension))).toEqual({
        start: first,
        end: bucketAt(now),
      });
      // The days before what was reached are pulled again.
      const again = Math.max(first, (before[index]?.end ?? first) - drawn.revisitDays * day);
      for (let bucket = bucketAt(again); bucket < bucketAt(now); bucket += length)
        expect(
          landed.some(
            (one) =>
              one.dimension === dimension && one.now === now && one.start <= bucket && one.end > bucket,
          ),
        ).toBe(true);
    }
  }
  now = Math.max(now, first + range + 4 * day);
  expect(await pull({})).toBe(true);
  expect(await pull({ again: [0, 2] })).toBe(true);
  for (const dimension of dimensions) {
    const shown = shownOf(dimension).filter(({ bucket }) => bucket >= first && bucket < bucketAt(now));
    expect(linesOf(stored.get(dimension) ?? [])).toEqual(linesOf(shown));
  }
  // And again, otherwise cut: `check` finds nothing changed.
  now += 1;
  const values = [...stored.values()].map(linesOf);
  expect(await pull({ again: [0.1, 0.7] })).toBe(true);
  expect(await pull({})).toBe(true);
  expect([...stored.values()].map(linesOf)).toEqual(values);
};

it('the warehouse contains, after every step, the figures that the gateway returned when each bucket was last pulled', async () => {
  await using folder = await testFolder();
  await using warehouse = await openIn(folder);
  using statements = strikeStatements();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(scenario, async (drawn) => {
      run += 1;
      await play(warehouse, statements, `run-${run}`, drawn);
    }),
    { numRuns: runs(3) },
  );
});
