import { subtractMoney, zero, type Money } from '../../src/core/index.ts';

/** A call as it truly was, each token once, or a refund, which has none. */
export type TrueCall = {
  readonly kind: 'consumption' | 'refund';
  readonly day: number;
  readonly model: string;
  readonly key: string;
  readonly uncached: number;
  readonly cached: number;
  readonly written: number;
  readonly plain: number;
  readonly reasoning: number;
  readonly charge: Money;
};

/** The true sums of some calls, and what an export without some columns leaves unknown of them. */
export type ColumnTruth = {
  readonly input: bigint;
  readonly cached: bigint;
  readonly output: bigint;
  readonly reasoning: bigint;
  readonly isInputMarked: boolean;
  readonly isOutputMarked: boolean;
  readonly isMarked: boolean;
  /** Whether there are calls of a model with stated tokens of an unknown convention. */
  readonly isOpen: boolean;
  /** Days with calls whose total is a lower bound. */
  readonly leastDays: ReadonlySet<number>;
  /** Days with calls whose total or split the export does not state. */
  readonly concernedDays: ReadonlySet<number>;
  /** Charges and tokens of the calls behind prices, and refunds of exports with the same columns. */
  readonly charges: readonly Money[];
  readonly priced: bigint;
  readonly rateInput: bigint;
  readonly rateCached: bigint;
  readonly rateOutput: bigint;
  readonly rateReasoning: bigint;
};

type Stated = 'known' | 'split unknown' | 'lower bound';

type JudgedCall = TrueCall & {
  readonly inputStated: Stated;
  readonly outputStated: Stated;
  /** Tokens that the export states of a model whose convention is open. */
  readonly isInputOpen: boolean;
  readonly isOutputOpen: boolean;
};

const judge = (one: TrueCall, without: readonly string[]): JudgedCall => {
  const has = (name: string): boolean => !without.includes(`${name}_tokens`);
  const isOpen = one.model.startsWith('open');
  const includes = one.model.startsWith('in');
  const [cached, written, reasoning] = [has('cached'), has('cache_write'), has('reasoning')];
  // Without prompt and completion nothing shows whether the call has tokens at all.
  const hasTokens = has('prompt') || has('completion');
  const inputStated = (): Stated => {
    if (!has('prompt')) return 'lower bound';
    if (includes) return cached ? 'known' : 'split unknown';
    return cached && written ? 'known' : 'lower bound';
  };
  const outputStated = (): Stated => {
    if (!has('completion')) return 'lower bound';
    if (reasoning || !hasTokens) return 'known';
    return includes ? 'split unknown' : 'lower bound';
  };
  const [input, output] = [inputStated(), outputStated()];
  return {
    ...one,
    inputStated: input,
    outputStated: output,
    isInputOpen: isOpen && input !== 'lower bound' && one.cached + one.written > 0,
    isOutputOpen: isOpen && output !== 'lower bound' && one.reasoning > 0,
  };
};

const inputOf = (one: TrueCall): number => one.uncached + one.cached + one.written;
const outputOf = (one: TrueCall): number => one.plain + one.reasoning;

const sum = (calls: readonly JudgedCall[], of: (one: TrueCall) => number): bigint =>
  calls.reduce((total, one) => total + BigInt(of(one)), 0n);

/** The truth over the calls that `pick` selects; `without` are the columns that the export of each day lacks. */
export const truthOver = (
  all: readonly TrueCall[],
  without: readonly (readonly string[])[],
  pick: (one: TrueCall) => boolean,
): ColumnTruth => {
  const booked = all.filter(pick).map((one) => judge(one, without[one.day] ?? []));
  const calls = booked.filter(({ kind }) => kind === 'consumption');
  const openModels = (side: 'isInputOpen' | 'isOutputOpen'): ReadonlySet<string> =>
    new Set(calls.filter((one) => one[side]).map(({ model }) => model));
  const [openInput, openOutput] = [openModels('isInputOpen'), openModels('isOutputOpen')];
  const isLeast = (one: JudgedCall): boolean =>
    one.inputStated === 'lower bound' || one.outputStated === 'lower bound';
  const isInputOpen = calls.some((one) => one.isInputOpen);
  const isOutputOpen = calls.some((one) => one.isOutputOpen);
  const isInputMarked = isInputOpen || calls.some((one) => one.inputStated !== 'known');
  const isOutputMarked = isOutputOpen || calls.some((one) => one.outputStated !== 'known');
  const isPriced = (one: JudgedCall): boolean =>
    !isLeast(one) && !openInput.has(one.model) && !openOutput.has(one.model);
  const priced = calls.filter(isPriced);
  const pricedModels = new Set(priced.map(({ model }) => model));
  const splitInput = calls.filter((one) => one.inputStated === 'known' && !openInput.has(one.model));
  const splitOutput = calls.filter((one) => one.outputStated === 'known' && !openOutput.has(one.model));
  return {
    input: sum(calls, inputOf),
    cached: sum(calls, ({ cached }) => cached),
    output: sum(calls, outputOf),
    reasoning: sum(calls, ({ reasoning }) => reasoning),
    isInputMarked,
    isOutputMarked,
    isMarked: isInputMarked || isOutputMarked,
    isOpen: isInputOpen || isOutputOpen,
    leastDays: new Set(calls.filter(isLeast).map(({ day }) => day)),
    concernedDays: new Set(
      calls
        .filter((one) => one.inputStated !== 'known' || one.outputStated !== 'known')
        .map(({ day }) => day),
    ),
    charges: booked
      .filter((one) => isPriced(one) && pricedModels.has(one.model))
      .map(({ kind, charge }) => (kind === 'refund' ? subtractMoney(zero, charge) : charge)),
    priced: sum(priced, (one) => inputOf(one) + outputOf(one)),
    rateInput: sum(splitInput, inputOf),
    rateCached: sum(splitInput, ({ cached }) => cached),
    rateOutput: sum(splitOutput, outputOf),
    rateReasoning: sum(splitOutput, ({ reasoning }) => reasoning),
  };
};
