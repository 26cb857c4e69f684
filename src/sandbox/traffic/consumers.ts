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
  mix: Consumer['mix'],
  more: Partial<Pick<Consumer, 'group' | 'limit'>> = {},
): Consumer => ({ name, group: 'default', weight, mix, state: 'live', ...more });

export const consumers: readonly Consumer[] = [
  live('growth-web', 14, [
    [models.gptMini, 6],
    [models.haiku, 2],
    [models.flash, 2],
  ]),
  live('growth-mail', 6, [
    [models.gptMini, 3],
    [models.deepseek, 5],
  ]),
  live('growth-studio', 5, [
    [models.imageTask, 6],
    [models.musicTask, 2],
    [models.flash, 2],
  ]),
  live('search-api', 16, [
    [models.embeddings, 9],
    [models.gptMini, 1],
  ]),
  live('search-indexer', 10, [
    [models.embeddings, 8],
    [models.gpt, 1],
  ]),
  live('support-bot', 15, [
    [models.haiku, 6],
    [models.sonnet, 3],
    [models.gptMini, 1],
  ]),
  live('support-voice', 2, [[models.audio, 1]], { limit: 5_000n }),
  live(
    'prod-gateway',
    16,
    [
      [models.gpt, 3],
      [models.sonnet, 3],
      [models.reasoning, 3],
      [models.flash, 1],
    ],
    { group: 'vip' },
  ),
  live(
    'prod-batch',
    9,
    [
      [models.deepseek, 4],
      [models.flash, 3],
      [models.reasoning, 2],
    ],
    { group: 'vip' },
  ),
  live(
    'research-数据',
    4,
    [
      [models.reasoning, 3],
      [models.sonnet, 2],
    ],
    { limit: 2_500n },
  ),
  live('team <b>"x", =1+1', 3, [
    [models.gpt, 1],
    [models.gptMini, 2],
  ]),
  { name: 'legacy-ci', group: 'default', weight: 0, mix: [], state: 'disabled' },
  { name: 'trial-2024', group: 'default', weight: 0, mix: [], state: 'expired', limit: 1n },
];

/**
 * One day per month has a runaway loop: from 13:00 to 17:00 UTC this key sends long prompts to this model, as many as the whole
 * account calls on a usual day. The month before any time contains it exactly once.
 */
export const spike = { dayOfMonth: 12, token: 'search-indexer', model: models.gpt } as const;
