/** What the rows with one word in one column were, over all landings. */
export type LabelEvidence = {
  /** In lower case, without spaces around it; empty where the cell was. */
  readonly word: string;
  /** Rows without a charge and without tokens. */
  readonly bare: number;
  /** Those of them whose model was charged for in other rows. */
  readonly bareOfChargedModels: number;
  /** Rows with a positive charge for a model. */
  readonly charged: number;
  /** Rows with a negative amount for a model. */
  readonly refunds: number;
  /** Rows with an amount for no model, as top-ups and deductions are. */
  readonly balance: number;
  /** Rows with tokens and without a charge. */
  readonly free: number;
};

/** `call`: what the amount shows, a call or a refund. */
export type LabelMeaning = 'error' | 'call';

/** Words for failed calls that need no statistics, as long as no row contradicts them. */
const describeFailure: ReadonlySet<string> = new Set([
  'error',
  'errored',
  'fail',
  'failed',
  'failure',
  'false',
  'rejected',
  'declined',
  'aborted',
  '错误',
  '失败',
]);

const successLabels: ReadonlySet<string> = new Set([
  'success',
  'succeeded',
  'successful',
  'ok',
  'true',
  '成功',
]);

/** Names of columns that may say what a row is: a number in any other column never proves anything. */
const namesOutcome =
  /(^|[_ ])(kind|type|status|state|result|outcome|success|error|event|category|action)(s|[_ ]code)?($|[_ ])|类型|状态|结果/i;

export const mayTellKinds = (column: string): boolean => namesOutcome.test(column.trim());

/** A column with more words than this says something else. */
export const maxLabels = 20;

/** Fewer rows than this never prove the meaning of a word that is not known. */
const leastRows = 3;
/** How likely rows may come together by chance. */
const chance = 1e-6;

const usedOf = ({ charged, refunds, balance, free }: LabelEvidence): number =>
  charged + refunds + balance + free;

const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

/** Whether all rows of the word are errors: none of them was used, and that is no chance. */
const provesError = (one: LabelEvidence, bareShare: number): boolean => {
  if (usedOf(one) > 0 || one.bare === 0) return false;
  if (describeFailure.has(one.word)) return true;
  const { bareOfChargedModels: shown } = one;
  return !successLabels.has(one.word) && shown >= leastRows && bareShare ** shown < chance;
};

/**
 * What the words of a column mean; empty where it does not prove that it tells calls from errors. A word for errors has no
 * row with a charge or tokens. A word for calls has charged rows, and hardly any of the rows without charge and tokens:
 * else the column says something else. Pure.
 */
export const decideLabels = (labels: readonly LabelEvidence[]): ReadonlyMap<string, LabelMeaning> => {
  const sum = (of: (one: LabelEvidence) => number): number => labels.reduce((all, one) => all + of(one), 0);
  const bare = sum((one) => one.bare);
  const bareShare = share(bare, bare + sum(usedOf));
  const errors = labels.filter((one) => provesError(one, bareShare));
  const hasCalls = labels.some((one) => one.charged > 0);
  if (labels.length > maxLabels || errors.length === 0 || !hasCalls) return new Map();
  const calls = labels.filter(
    (one) => one.charged > 0 && (successLabels.has(one.word) || share(one.bare, bare) <= 0.1),
  );
  return new Map([
    ...errors.map(({ word }) => [word, 'error'] as const),
    ...calls.map(({ word }) => [word, 'call'] as const),
  ]);
};

/** Charged rows that show that a column named for kinds does not tell them, as no word of it is known. */
const enoughCharged = 20;

/**
 * The same of a column that is named for kinds, whose words are not known: the most frequent charged ones are calls, where no
 * known word says which rows are calls. Pure.
 */
export const decideKindLabels = (
  labels: readonly LabelEvidence[],
  isCallKnown: boolean,
): ReadonlyMap<string, LabelMeaning> => {
  const bare = labels.reduce((sum, one) => sum + one.bare, 0);
  const used = labels.reduce((sum, one) => sum + usedOf(one), 0);
  const errors = labels.filter((one) => provesError(one, share(bare, bare + used)));
  const isCall = (one: LabelEvidence): boolean =>
    !isCallKnown && one.charged >= enoughCharged && one.charged >= usedOf(one) * 0.5;
  // A model gives back nothing but refunds: one row shows it as long as no other contradicts it.
  const isRefund = (one: LabelEvidence): boolean =>
    one.refunds > 0 && usedOf(one) === one.refunds && one.bare === 0;
  return new Map([
    ...errors.map(({ word }) => [word, 'error'] as const),
    ...labels.filter((one) => isCall(one) || isRefund(one)).map(({ word }) => [word, 'call'] as const),
  ]);
};
