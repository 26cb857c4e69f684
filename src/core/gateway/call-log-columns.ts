/** The class that a count of tokens is shown and priced as; of a total, the class of what is in no other class. */
export type CountedTokens = {
  readonly side: 'input' | 'output';
  /** Always part of the total of its side, under each convention of a model; derived in SQL from this alone. */
  readonly included?: true;
  readonly class: string;
  /** The setting of its price, and the column of views of prices. */
  readonly price: string;
  /** The price that applies where this one is not given. */
  readonly otherwise?: string;
  readonly label: string;
};

type CallLogColumn = {
  /** In the database, in views, in settings, and in the contract (docs/gateway.md G6.3). */
  readonly name: string;
  /**
   * Time: seconds UTC. Tokens: a whole number of tokens. Count: any other whole number. Amount: in the currency or in
   * integer units, with at most 12 decimals.
   */
  readonly holds: 'time' | 'text' | 'tokens' | 'count' | 'amount';
  /** Names in headers, the most common first. */
  readonly headers: readonly string[];
  /**
   * Whether the export is asked for it where it was not served: `documented` columns are in the contract, those on
   * request may be exported only by name (docs/gateway.md G6.4).
   */
  readonly asked?: 'documented' | 'on request';
  readonly meaning: string;
  readonly tokens?: CountedTokens;
  /** The schema that added it to the database. Months archived before are without it: unknown, never 0. */
  readonly since?: number;
};

/**
 * The columns of the call log that have a meaning; all others are stored as text. The database, landing, headers,
 * settings, views and the reference are derived from them. A bit of each row is numbered by the order of the counts: a
 * new column goes to the end.
 */
export const callLogColumns = [
  {
    name: 'created_at',
    holds: 'time',
    headers: ['created_at'],
    asked: 'documented',
    meaning: 'time of the call',
  },
  {
    name: 'model_name',
    holds: 'text',
    headers: ['model_name'],
    asked: 'documented',
    meaning: 'the gateway’s name of the model',
  },
  {
    name: 'token_name',
    holds: 'text',
    headers: ['token_name'],
    asked: 'documented',
    meaning: 'name of the API key',
  },
  {
    name: 'kind',
    holds: 'text',
    headers: ['type', 'kind', 'log_type'],
    meaning: 'kind of the row: a call, a refund, a payment',
  },
  {
    name: 'prompt_tokens',
    holds: 'tokens',
    headers: ['prompt_tokens'],
    asked: 'documented',
    meaning: 'tokens of the prompt',
    tokens: {
      side: 'input',
      class: 'input_uncached_tokens',
      price: 'input',
      label: 'uncached input',
    },
  },
  {
    name: 'completion_tokens',
    holds: 'tokens',
    headers: ['completion_tokens'],
    asked: 'documented',
    meaning: 'tokens of the completion',
    tokens: {
      side: 'output',
      class: 'output_plain_tokens',
      price: 'output',
      label: 'plain output',
    },
  },
  {
    name: 'cached_tokens',
    holds: 'tokens',
    headers: ['cached_tokens', 'cache_tokens', 'cache_read_tokens', 'cached_read_tokens'],
    asked: 'documented',
    meaning: 'tokens that were read from a cache',
    tokens: {
      side: 'input',
      class: 'input_cache_read_tokens',
      price: 'cached',
      label: 'cache reads',
    },
  },
  {
    name: 'cache_write_tokens',
    holds: 'tokens',
    headers: [
      'cache_write_tokens',
      'cache_creation_tokens',
      'cached_write_tokens',
      'cached_creation_tokens',
      'cache_creation_input_tokens',
    ],
    asked: 'on request',
    meaning: 'tokens that were written to a cache',
    tokens: {
      side: 'input',
      class: 'input_cache_write_tokens',
      price: 'cache_write',
      label: 'cache writes',
    },
  },
  {
    name: 'reasoning_tokens',
    holds: 'tokens',
    headers: ['reasoning_tokens'],
    asked: 'documented',
    meaning: 'tokens of reasoning',
    tokens: {
      side: 'output',
      class: 'output_reasoning_tokens',
      price: 'reasoning',
      otherwise: 'output',
      label: 'reasoning',
    },
  },
  {
    name: 'audio_tokens',
    holds: 'tokens',
    headers: ['audio_tokens'],
    meaning: 'audio tokens of the input or the output',
  },
  {
    name: 'audio_input_tokens',
    holds: 'tokens',
    headers: ['audio_input_tokens', 'input_audio_tokens', 'prompt_audio_tokens'],
    asked: 'on request',
    meaning: 'audio tokens of the input',
    tokens: {
      side: 'input',
      included: true,
      class: 'input_audio_tokens',
      price: 'audio_input',
      label: 'audio input',
    },
  },
  {
    name: 'audio_output_tokens',
    holds: 'tokens',
    headers: ['audio_output_tokens', 'output_audio_tokens', 'completion_audio_tokens'],
    asked: 'on request',
    meaning: 'audio tokens of the output',
    tokens: {
      side: 'output',
      included: true,
      class: 'output_audio_tokens',
      price: 'audio_output',
      label: 'audio output',
    },
  },
  {
    name: 'image_tokens',
    holds: 'tokens',
    headers: ['image_tokens'],
    asked: 'on request',
    meaning: 'image tokens of the input',
    tokens: {
      side: 'input',
      included: true,
      class: 'input_image_tokens',
      price: 'image',
      label: 'image input',
    },
  },
  {
    name: 'quota',
    holds: 'amount',
    headers: ['quota', 'cost_usd', 'cost_cny'],
    asked: 'documented',
    meaning: 'what the call was charged',
  },
] as const satisfies readonly CallLogColumn[];

type Column = (typeof callLogColumns)[number];

/** What a column of the log export is; in the database, the name of its column. */
export type CallLogRole = Column['name'];

type Counted = Exclude<Column, { readonly holds: 'time' | 'text' | 'amount' }>;

/** A column that holds tokens or another count. */
export type CountColumn = Counted['name'];

const counts: ReadonlySet<CallLogColumn['holds']> = new Set(['tokens', 'count']);

const isCount = (column: Column): column is Counted => counts.has(column.holds);

/** The columns that hold tokens or another count. */
export const countColumns: readonly CountColumn[] = callLogColumns.filter(isCount).map(({ name }) => name);

/** Of these, the columns that hold tokens. */
export const tokenColumns: readonly CountColumn[] = callLogColumns.flatMap((column) =>
  column.holds === 'tokens' ? [column.name] : [],
);

/** The columns that were added to the database later, with the schema of each. */
export const laterColumns = callLogColumns
  .filter(isCount)
  .flatMap((column) =>
    'since' in column && typeof column.since === 'number'
      ? [{ name: column.name, holds: column.holds, since: column.since }]
      : [],
  );

type ClassedColumn = Extract<Column, { readonly tokens: CountedTokens }>;

const isClassed = (column: Column): column is ClassedColumn => 'tokens' in column;

/** A class of tokens with a price: those of a call add up, with the unclassified ones, to its input and output. */
export type PricedClass = ClassedColumn['tokens']['class'];

/** The name of a class's price in settings and views. */
export type PriceName = ClassedColumn['tokens']['price'];

type ClassedCount = CountedTokens & {
  readonly column: CountColumn;
  readonly class: PricedClass;
  readonly price: PriceName;
};

/** The counts of one side with their classes, the total first. */
export const countsOf = (side: CountedTokens['side']): readonly ClassedCount[] =>
  callLogColumns
    .filter(isClassed)
    .filter(({ tokens }) => tokens.side === side)
    .map(({ name, tokens }) => ({ column: name, ...tokens }));

/** Every class that has a price, those of the input first. */
export const pricedTokens = [...countsOf('input'), ...countsOf('output')];
