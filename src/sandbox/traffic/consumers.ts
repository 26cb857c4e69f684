import { models, type Model } from './models.ts';

/** A key that exists from the start, with its simulated traffic. */
export type Consumer = {
  readonly name: string;
  readonly group: string;
  /** Share of all calls. */
  readonly weight: number;
  readonly mix: readonly (readonly [Model, number])[];
  readonly state: 'live' | 'disabled' | 'expired';
  /** Dollars left at the start; missing for an unlimited key. */
  readonly limit?: bigint;
};

const live = (
  name: string,
  weight: number,
  mix: Partial<Record<keyof typeof models, number>>,
  more: Partial<Pick<Consumer, 'group' | 'limit'>> = {},
): Consumer => ({
  name,
  group: 'default',
  weight,
  mix: Object.entries(mix).map(([model, share]) => [models[model as keyof typeof models], share]),
  state: 'live',
  ...more,
});

export const consumers: readonly Consumer[] = [
  live('growth-web', 14, { gptMini: 6, haiku: 2, flash: 2 }),
  live('growth-mail', 6, { gptMini: 3, deepseek: 5 }),
  live('growth-studio', 5, { imageTask: 6, musicTask: 2, flash: 2 }),
  live('search-api', 16, { embeddings: 9, gptMini: 1 }),
  live('search-indexer', 10, { embeddings: 8, gpt: 1 }),
  live('support-bot', 15, { haiku: 6, sonnet: 3, gptMini: 1 }),
  live('support-voice', 2, { audio: 1 }, { limit: 5_000n }),
  live('prod-gateway', 16, { gpt: 3, sonnet: 3, reasoning: 3, flash: 1 }, { group: 'vip' }),
  live('prod-batch', 9, { deepseek: 4, flash: 3, reasoning: 2 }, { group: 'vip' }),
  live('research-数据', 4, { reasoning: 3, sonnet: 2 }, { limit: 2_500n }),
  live('team <b>"x", =1+1', 3, { gpt: 1, gptMini: 2 }),
  { name: 'legacy-ci', group: 'default', weight: 0, mix: [], state: 'disabled' },
  { name: 'trial-2024', group: 'default', weight: 0, mix: [], state: 'expired', limit: 1n },
];

/**
 * One day per month has a runaway loop: from 13:00 to 17:00 UTC this key sends long prompts to this model, as many as the whole
 * account calls on a usual day. The month before any time contains it exactly once.
 */
export const spike = { dayOfMonth: 12, token: 'search-indexer', model: models.gpt } as const;
