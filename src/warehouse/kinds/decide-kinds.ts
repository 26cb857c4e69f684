/** The evidence of one label in one column, over all landings. */
export type LabelEvidence = {
  /** In lower case and trimmed; empty for an empty cell. */
  readonly word: string;
  /** Rows without a charge and without tokens. */
  readonly bare: number;
  /** Those of them whose model has a charge in other rows. */
  readonly bareOfChargedModels: number;
  /** Rows with a positive charge for a model. */
  readonly charged: number;
  /** Rows with a negative amount for a model. */
  readonly refunds: number;
  /** Rows with an amount and no model, such as top-ups and deductions. */
  readonly balance: number;
  /** Rows with tokens and without a charge. */
  readonly free: number;
};

/** `call`: the amount decides whether a row is a call or a refund. */
export type LabelMeaning = 'error' | 'call';

/** Labels of failed calls that need no statistics, as long as no row contradicts them. */
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

/** Columns whose name suggests the outcome of a call: a number in any other column proves nothing. */
const namesOutcome =
  /(^|[_ ])(kind|type|status|state|result|outcome|success|error|event|category|action)(s|[_ ]code)?($|[_ ])|类型|状态|结果/i;

export const mayTellKinds = (column: string): boolean => namesOutcome.test(column.trim());

/** A column with more labels than this describes something else. */
export const maxLabels = 20;

/** Fewer rows than this never prove the meaning of an unknown label. */
const leastRows = 3;
/** The probability below which a coincidence is ruled out. */
const chance = 1e-6;

const usedOf = ({ charged, refunds, balance, free }: LabelEvidence): number =>
  charged + refunds + balance + free;

const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

/** Whether all rows of the label are errors: none has a charge or tokens, and chance is ruled out. */
const provesError = (one: LabelEvidence, bareShare: number): boolean => {
  if (usedOf(one) > 0 || one.bare === 0) return false;
  if (describeFailure.has(one.word)) return true;
  const { bareOfChargedModels: shown } = one;
  return !successLabels.has(one.word) && shown >= leastRows && bareShare ** shown < chance;
};

/**
 * The meanings of a column's labels; empty unless the column provably separates calls from errors. An error label has
 * no row with a charge or tokens. A call label has charged rows, and hardly any of the rows without charge and tokens;
 * otherwise the column describes something else. Pure.
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

/** Minimum number of charged rows with which an unknown label counts as calls, in a column without a known one. */
const enoughCharged = 20;

/**
 * The same for a column named for kinds whose labels are unknown: the most frequent charged labels are calls, unless a
 * known label already identifies calls. Pure.
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
  // Only refunds have a negative amount for a model: one row proves it as long as no other contradicts it.
  const isRefund = (one: LabelEvidence): boolean =>
    one.refunds > 0 && usedOf(one) === one.refunds && one.bare === 0;
  return new Map([
    ...errors.map(({ word }) => [word, 'error'] as const),
    ...labels.filter((one) => isCall(one) || isRefund(one)).map(({ word }) => [word, 'call'] as const),
  ]);
};
