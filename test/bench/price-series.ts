import { createRandom } from '../fuzz/random.ts';

/** Prices of one token. */
export type SeriesPrices = {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
};

export const usualPrices: SeriesPrices = { input: 2e-6, cached: 0.5e-6, output: 8e-6 };

export type PricedCall = {
  /** Seconds UTC. */
  readonly at: number;
  readonly prompt: number;
  /** Part of the prompt. */
  readonly cached: number;
  readonly completion: number;
  readonly quota: string;
};

/** Calls of a model at these prices, charged to the millionth; `pricesAt` gives those of a moment. */
export const pricedCalls = (
  seed: number,
  { start, days, perDay }: { readonly start: number; readonly days: number; readonly perDay: number },
  pricesAt: (at: number) => SeriesPrices,
): readonly PricedCall[] => {
  const { next: random } = createRandom(seed * 4441 + 5);
  const step = 86_400 / perDay;
  return Array.from({ length: days * perDay }, (_, index): PricedCall => {
    const at = Math.floor(start + index * step + random() * step);
    const prompt = 200 + Math.floor(6000 * random());
    const cached = random() < 0.6 ? Math.floor(prompt * random() * 0.9) : 0;
    const completion = 20 + Math.floor(900 * random() ** 2);
    const { input, cached: read, output } = pricesAt(at);
    const charge = (prompt - cached) * input + cached * read + completion * output;
    return { at, prompt, cached, completion, quota: charge.toFixed(6) };
  });
};
