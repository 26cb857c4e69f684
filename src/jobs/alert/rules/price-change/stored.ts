import { z } from 'zod';
import { money, pricedTokens, type PricedClass } from '../../../../core/index.ts';
import { priceReasons } from '../../../../monitoring/index.ts';

const amount = z.string().transform(money);

const priced = z.enum(pricedTokens.map((one) => one.class) as [PricedClass, ...PricedClass[]]);

const byClass = z.partialRecord(priced, z.number());

/** Prices of one token in doubles: evidence, never money. */
const logPrices = z.object({
  model: z.string(),
  key: z.string(),
  prices: byClass,
  perCall: z.number(),
  shares: byClass,
});

const finding = z.object({
  reason: z.enum(priceReasons),
  /** The key that it is of; of all keys without one. */
  key: z.string().optional(),
  /** Prices of a million tokens, in the currency. */
  classes: z.array(z.object({ class: priced, before: amount, after: amount })),
  /** The first call that shows it, seconds UTC; missing where it was so before. */
  first: z.int().optional(),
  /** What it costs more in 30 days at the present volume; less where negative. */
  month: amount.optional(),
});

/** What is known of the prices of a model, as it is stored. */
export const priceStatus = z.object({
  kind: z.literal('price'),
  state: z.enum(['ok', 'changed', 'wrong']),
  currency: z.string(),
  /** The last unit of the amounts in the log. */
  unit: amount,
  /** Fitted to the calls before this second; empty where no prices explain them. */
  fits: z.array(logPrices),
  until: z.int(),
  /** The first call with the present prices, seconds UTC; missing where they did not change. */
  since: z.int().optional(),
  findings: z.array(finding),
});

export type PriceStatus = z.output<typeof priceStatus>;

export type StoredFinding = PriceStatus['findings'][number];
