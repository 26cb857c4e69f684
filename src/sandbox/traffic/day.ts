import { consumers, spike, type Consumer } from './consumers.ts';
import { charge, noUsage, type Model, type Usage } from './models.ts';
import { between, poisson, seededRandom, weighted } from './random.ts';
import { DAY, expectedCalls, HOUR } from './rhythm.ts';
import { plainRow, type Row } from './row.ts';
import { sample, type SampledCall } from './sample.ts';

export type DayOptions = {
  readonly seed: number;
  readonly callsPerDay: number;
  readonly refunds: boolean;
  readonly lateRows: boolean;
  /** Rounds each charge to whole units of 200 grains, like a gateway that counts in units. */
  readonly wholeUnits: boolean;
};

/** Dollars paid in on the first and the fifteenth, per daily call of the account. */
const TOPUP_DOLLARS_PER_CALL = 0.15;

const pickConsumer = weighted(
  consumers.filter(({ weight }) => weight > 0).map((one) => [one, one.weight] as const),
);
const pickModel = new Map(
  consumers.filter(({ mix }) => mix.length > 0).map((one) => [one, weighted<Model>(one.mix)] as const),
);

/** Rounds to whole units; a charge is at least one unit. */
export const inUnits = (grains: number): number =>
  grains === 0 ? 0 : Math.max(1, Math.round(grains / 200)) * 200;

/** Distributes the tokens of a sampled call over the token columns of a model. */
const usageOf = (model: Model, call: SampledCall, random: () => number): Usage => {
  const usage = { ...noUsage, text: call.prompt, completion: call.completion };
  if (model.kind === 'embeddings') return { ...usage, completion: 0 };
  if (model.kind !== 'chat') return { ...usage, text: 0, completion: 0 };
  if (model.cachePrefix > 0 && random() < 0.7) {
    // Caches use blocks of 128 tokens; a vendor that charges for writing does so on the first call in a while.
    const prefix = Math.floor((model.cachePrefix * (0.5 + 0.5 * random())) / 128) * 128;
    if (model.prices.cacheWrite > 0 && random() < 0.15) usage.cacheWrite = prefix;
    else usage.cached = prefix;
  }
  if (model.reasoningRatio > 0) {
    usage.reasoning = Math.round(call.completion * model.reasoningRatio * (0.3 + 1.4 * random()));
    usage.completion += usage.reasoning;
  }
  if (model.audio) {
    usage.audioInput = between(random, 50, 1_200);
    usage.audioOutput = Math.floor(usage.completion * 0.8);
  }
  if (model.images && random() < 0.12) usage.imageInput = 258 * between(random, 1, 4);
  return usage;
};

const lateness = (random: () => number): number =>
  random() < 0.8 ? between(random, 2, 90) : between(random, 91, 600);

/** Rows of the account by the day of the month, all without a key. */
const bookkeeping = (day: number, { callsPerDay }: DayOptions): Row[] => {
  const start = day * DAY;
  const dollars = Math.max(10, Math.round((callsPerDay * TOPUP_DOLLARS_PER_CALL) / 10) * 10);
  const topup = plainRow('topup', start + 9 * HOUR, {
    grains: dollars * 1e8,
    content: `Top-up of ${dollars} USD`,
  });
  const statement = plainRow('system', start + 60, { content: 'Monthly statement is ready' });
  const change = plainRow('management', start + 10 * HOUR + 1234, {
    content: 'Administrator changed the group, "vip"\nfrom default',
  });
  const byDay: Readonly<Record<number, Row[]>> = { 1: [topup, statement], 15: [topup], 20: [change] };
  return byDay[new Date(start * 1000).getUTCDate()] ?? [];
};

/**
 * All rows caused in one UTC day (days since 1970-01-01); they depend only on the seed and the day. Refunds may have a time in
 * the next day.
 */
export const causedRows = (day: number, options: DayOptions): Row[] => {
  const random = seededRandom(options.seed, day, 1);
  const rotation = between(random, 0, HOUR - 1);
  const rows = bookkeeping(day, options);

  const refund = (paid: Row, delay: number, token: string, content: string): void => {
    if (!options.refunds) return;
    const at = paid.createdAt + delay;
    rows.push(
      plainRow('refund', at, { model: paid.model, token, group: paid.group, grains: -paid.grains, content }),
    );
  };

  const book = (consumer: Consumer, model: Model, call: SampledCall, createdAt: number): void => {
    const late = random() < 0.03 ? lateness(random) : 0;
    const visibleAt = createdAt + (options.lateRows ? late : 0);
    const { name: token, group } = consumer;
    if (random() < 0.015) {
      const content = 'upstream error: status 529, "overloaded", retry later';
      rows.push(plainRow('error', createdAt, { visibleAt, model, token, group, content }));
      return;
    }
    const usage = usageOf(model, call, random);
    const exact = charge(model, usage);
    const fields = {
      visibleAt,
      model,
      token,
      group,
      grains: options.wholeUnits ? inUnits(exact) : exact,
      useTime: 1 + Math.floor(usage.completion / 60),
      stream: model.kind === 'chat' && random() < 0.5,
    };
    const row = plainRow('consumption', createdAt, fields, usage);
    rows.push(row);
    // A batch that embeds the same text twice: two calls give two identical rows.
    if (model.kind === 'embeddings' && random() < 0.012) rows.push({ ...row });
    if (model.kind === 'image-task' && random() < 0.06)
      refund(row, between(random, 30, HOUR), '', 'image task failed');
    else if (model.kind === 'music-task' && random() < 0.08)
      refund(row, between(random, 60, DAY - 1), '', 'music task failed');
    else if (row.stream && random() < 0.006) refund(row, between(random, 5, 600), token, 'stream broke off');
  };

  const draw = (): SampledCall => sample[Math.floor(random() * sample.length)] as SampledCall;

  for (let hour = 0; hour < 24; hour += 1) {
    const start = day * DAY + hour * HOUR;
    const count = poisson(random, expectedCalls(options.callsPerDay, day, hour));
    for (let made = 0; made < count; made += 1) {
      const call = draw();
      const consumer = pickConsumer(random);
      const model = pickModel.get(consumer)?.(random);
      if (model !== undefined) book(consumer, model, call, start + ((call.second + rotation) % HOUR));
    }
  }

  const spiking = consumers.find(({ name }) => name === spike.token);
  if (new Date(day * DAY * 1000).getUTCDate() === spike.dayOfMonth && spiking !== undefined) {
    for (let made = 0; made < Math.max(20, options.callsPerDay * 1.5); made += 1) {
      const { prompt, completion } = draw();
      const call = { second: 0, prompt: prompt * 6, completion: completion * 3 };
      book(spiking, spike.model, call, day * DAY + 13 * HOUR + between(random, 0, 4 * HOUR - 1));
    }
  }
  return rows;
};
