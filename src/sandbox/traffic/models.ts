export const noUsage = {
  /** Prompt tokens of text that were neither read from nor written to a cache. */
  text: 0,
  cached: 0,
  cacheWrite: 0,
  audioInput: 0,
  imageInput: 0,
  /** All completion tokens, including reasoning and audio output. */
  completion: 0,
  reasoning: 0,
  audioOutput: 0,
};

export type Usage = Readonly<typeof noUsage>;

/** Prices in grains (0.00000001 USD) per token: 100 grains per token are 1 USD per million tokens. */
type Prices = Omit<Usage, 'reasoning'> & { readonly call: number };

export type Model = {
  readonly name: string;
  readonly vendorId: number;
  readonly vendor: string;
  readonly kind: 'chat' | 'embeddings' | 'image' | 'image-task' | 'music-task';
  /** Whether this vendor counts cached and cache-write tokens among the prompt tokens. */
  readonly promptIncludesCached: boolean;
  readonly prices: Prices;
  /** Tokens of the fixed prefix that calls of this model read from the cache, or write to it. */
  readonly cachePrefix: number;
  readonly reasoningRatio: number;
  readonly audio: boolean;
  readonly images: boolean;
};

const vendors = {
  1: 'openai',
  2: 'anthropic',
  3: 'google',
  4: 'deepseek',
  5: 'imagine',
  6: 'music',
} as const;

const model = (
  name: string,
  vendorId: keyof typeof vendors,
  prices: Partial<Prices>,
  traits: Partial<Omit<Model, 'name' | 'vendorId' | 'vendor' | 'prices'>> = {},
): Model => ({
  name,
  vendorId,
  vendor: vendors[vendorId],
  kind: 'chat',
  promptIncludesCached: vendorId !== 2,
  cachePrefix: 0,
  reasoningRatio: 0,
  audio: false,
  images: false,
  ...traits,
  prices: { ...noUsage, call: 0, ...prices },
});

export const models = {
  gpt: model(
    'gpt-4.1',
    1,
    { text: 200, cached: 50, completion: 800, imageInput: 200 },
    { cachePrefix: 8_192, images: true },
  ),
  gptMini: model('gpt-4.1-mini', 1, { text: 40, cached: 10, completion: 160 }, { cachePrefix: 4_096 }),
  reasoning: model(
    'o4-mini',
    1,
    { text: 110, cached: 28, completion: 440 },
    { cachePrefix: 3_072, reasoningRatio: 3 },
  ),
  audio: model(
    'gpt-4o-audio-preview',
    1,
    { text: 250, audioInput: 4_000, completion: 1_000, audioOutput: 8_000 },
    { audio: true },
  ),
  sonnet: model(
    'claude-sonnet-4-5',
    2,
    { text: 300, cached: 30, cacheWrite: 375, imageInput: 300, completion: 1_500 },
    { cachePrefix: 12_288, images: true },
  ),
  haiku: model(
    'claude-haiku-4-5',
    2,
    { text: 100, cached: 10, cacheWrite: 125, completion: 500 },
    { cachePrefix: 6_144 },
  ),
  flash: model(
    'gemini-2.5-flash',
    3,
    { text: 30, cached: 3, imageInput: 30, completion: 250 },
    { cachePrefix: 4_096, reasoningRatio: 1, images: true },
  ),
  deepseek: model('deepseek-chat', 4, { text: 28, cached: 3, completion: 42 }, { cachePrefix: 4_096 }),
  embeddings: model('text-embedding-3-small', 1, { text: 2 }, { kind: 'embeddings' }),
  imageTask: model('imagine-fast', 5, { call: 4_000_000 }, { kind: 'image-task' }),
  musicTask: model('music-v4', 6, { call: 10_000_000 }, { kind: 'music-task' }),
  imageUpload: model('image-upload', 5, { call: 100_000 }, { kind: 'image-task' }),
  musicPersona: model('music-persona', 6, { call: 2_000_000 }, { kind: 'music-task' }),
  image: model('gpt-image-1', 1, { text: 500, completion: 4_000 }, { kind: 'image' }),
  imageEdit: model('edit-context-pro', 5, { call: 4_000_000 }, { kind: 'image' }),
} as const satisfies Record<string, Model>;

export const modelByName: ReadonlyMap<string, Model> = new Map(
  Object.values<Model>(models).map((one) => [one.name, one]),
);

/** The charge of a call in grains, exactly determined by token counts and prices. */
export const charge = ({ prices }: Model, usage: Usage): number =>
  usage.text * prices.text +
  usage.cached * prices.cached +
  usage.cacheWrite * prices.cacheWrite +
  usage.audioInput * prices.audioInput +
  usage.imageInput * prices.imageInput +
  (usage.completion - usage.audioOutput) * prices.completion +
  usage.audioOutput * prices.audioOutput +
  prices.call;
