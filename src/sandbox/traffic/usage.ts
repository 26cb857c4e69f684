import { noUsage, type Model, type Usage } from './models.ts';
import { between } from './random.ts';
import type { SampledCall } from './sample.ts';

/** Distributes the tokens of a sampled call over the token columns of a model. */
export const usageOf = (model: Model, call: SampledCall, random: () => number): Usage => {
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
