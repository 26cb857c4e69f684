import { z } from 'zod';
import {
  absoluteMoney,
  compareMoney,
  money,
  subtractMoney,
  zero,
  type Money,
  type UnixMillis,
} from '../../../core/index.ts';
import {
  amount,
  fieldNotes,
  threshold,
  thresholdAmount,
  type WrittenThreshold,
} from '../../../config/index.ts';
import { nameOfHeadline } from '../../../reports/index.ts';

const conditionForms =
  'always, not_empty, { changed: { figure: total, by: 10% } } with a percentage or an amount, or { above: 500 }';

const condition = z
  .union([
    z.enum(['always', 'not_empty']),
    z.strictObject({
      changed: z
        .strictObject({
          figure: z
            .string()
            .min(1)
            .default(nameOfHeadline)
            .describe(
              'Figure that is compared: total, or the id of a figure in report.yaml, which is its column if it has no id.',
            ),
          by: threshold.describe('Least change, as a percentage of the last report or as an amount.'),
        })
        .describe('The change of a figure since the last report of the job that was sent.'),
    }),
    z.strictObject({ above: amount.describe('Amount that the total exceeds.') }),
  ])
  .register(fieldNotes, { description: conditionForms });

/** What has to hold for a report to be sent. */
export type SendCondition = Exclude<z.output<typeof condition>, 'always'>;

export const sendWhen = z
  .union([condition, z.array(condition).min(1)])
  .register(fieldNotes, { description: `${conditionForms}; or a list of them, which all have to hold` });

/** The conditions of a setting; none where each report is sent. */
export const conditionsOf = (given: z.output<typeof sendWhen> = 'always'): readonly SendCondition[] =>
  [given].flat().filter((one): one is SendCondition => one !== 'always');

/** One fact that a decision follows from. Amounts are decimals in the unit of the figure; times are in UTC. */
const fact = z.discriminatedUnion('because', [
  /** No report of the job and part was sent before. */
  z.object({ because: z.literal('first') }),
  /** The report before cannot be read. */
  z.object({ because: z.literal('damaged') }),
  z.object({ because: z.literal('unknown'), figure: z.string(), of: z.enum(['this', 'last']) }),
  z.object({ because: z.literal('currency'), before: z.string(), now: z.string() }),
  z.object({ because: z.literal('verdict'), verdict: z.string() }),
  z.object({ because: z.literal('late') }),
  /** The last report was sent `after` milliseconds ago. */
  z.object({ because: z.literal('interval'), last: z.iso.datetime(), after: z.int() }),
  z.object({
    because: z.literal('change'),
    figure: z.string(),
    before: z.string(),
    now: z.string(),
    unit: z.string().nullable(),
    by: z.string(),
  }),
  z.object({
    because: z.literal('amount'),
    total: z.string(),
    above: z.string(),
    unit: z.string().nullable(),
  }),
  z.object({ because: z.literal('rows'), isEmpty: z.boolean() }),
]);

export type SendFact = z.output<typeof fact>;

/** Whether a report is sent: it is if the facts ask for it, and not if they are conditions that do not hold. */
export const sendingShape = z.object({ sent: z.boolean(), facts: z.array(fact).min(1) });

export type Sending = z.output<typeof sendingShape>;

/** Of a figure by its name in each language; `exact` is null where it is unknown or a lower bound. */
export type NamedFigure = {
  readonly name?: string | undefined;
  readonly exact: string | null;
  readonly unit: string | null;
};

/** The last report of the same job and part that was sent, of an earlier slot. */
export type LastSent = {
  readonly slot: UnixMillis;
  readonly currency: string;
  readonly totals: readonly NamedFigure[];
};

export type SendInput = {
  readonly conditions: readonly SendCondition[];
  /** Milliseconds after the last sent report. From then on, a report is sent regardless of the conditions. */
  readonly atLeastEvery: number;
  readonly slot: UnixMillis;
  readonly currency: string;
  readonly totals: readonly NamedFigure[];
  readonly verdict: { readonly verdict: string; readonly good: boolean };
  readonly isLate: boolean;
  readonly isEmpty: boolean;
  readonly last: LastSent | 'none' | 'damaged';
};

const day = 86_400_000;
/** In spring a day is an hour shorter. */
const clockChange = 3_600_000;

/** What cannot be judged, or no condition is about: then a report is sent. */
const inAnyCase = ({
  atLeastEvery,
  slot,
  currency,
  verdict,
  isLate,
  last,
}: SendInput): readonly SendFact[] => {
  if (last === 'none') return [{ because: 'first' }];
  if (last === 'damaged') return [{ because: 'damaged' }];
  const after = slot - last.slot;
  return [
    ...(last.currency === currency
      ? []
      : [{ because: 'currency', before: last.currency, now: currency } as const]),
    ...(verdict.good ? [] : [{ because: 'verdict', verdict: verdict.verdict } as const]),
    ...(isLate ? [{ because: 'late' } as const] : []),
    ...(after + (atLeastEvery >= day ? clockChange : 0) >= atLeastEvery
      ? [{ because: 'interval', last: new Date(last.slot).toISOString(), after } as const]
      : []),
  ];
};

type Judged = { readonly fact: SendFact; readonly holds: boolean };

/** The first figure of the name, as the headline is `total`; undefined where it is unknown. */
const valueOf = (totals: readonly NamedFigure[], figure: string): NamedFigure | undefined => {
  const found = totals.find(({ name }) => name === figure);
  return found?.exact === null ? undefined : found;
};

const judgeChange = (
  { figure, by }: { readonly figure: string; readonly by: WrittenThreshold },
  totals: readonly NamedFigure[],
  last: readonly NamedFigure[],
): Judged => {
  const [now, before] = [valueOf(totals, figure), valueOf(last, figure)];
  if (now === undefined) return { fact: { because: 'unknown', figure, of: 'this' }, holds: true };
  if (before === undefined) return { fact: { because: 'unknown', figure, of: 'last' }, holds: true };
  const [exact, exactBefore] = [money(now.exact ?? '0'), money(before.exact ?? '0')];
  const moved = absoluteMoney(subtractMoney(exact, exactBefore));
  const least = thresholdAmount(by, absoluteMoney(exactBefore));
  return {
    fact: { because: 'change', figure, before: exactBefore, now: exact, unit: now.unit, by: by.label },
    // From nothing, each change is larger than any percentage of it.
    holds: moved !== zero && compareMoney(moved, least) >= 0,
  };
};

const judgeAmount = (above: Money, totals: readonly NamedFigure[]): Judged => {
  const total = valueOf(totals, nameOfHeadline);
  return total === undefined
    ? { fact: { because: 'unknown', figure: nameOfHeadline, of: 'this' }, holds: true }
    : {
        fact: { because: 'amount', total: money(total.exact ?? '0'), above, unit: total.unit },
        holds: compareMoney(money(total.exact ?? '0'), above) > 0,
      };
};

/** Whether a report is sent, and why. Pure: the same report after the same ones is always decided alike. */
export const decideSending = (input: SendInput): Sending => {
  const { conditions, totals, isEmpty, last } = input;
  const forced = inAnyCase(input);
  if (forced.length > 0 || typeof last === 'string') return { sent: true, facts: [...forced] };
  const judged = conditions.flatMap((one): readonly Judged[] => {
    if (one === 'not_empty') return [{ fact: { because: 'rows', isEmpty }, holds: !isEmpty }];
    return 'above' in one
      ? [judgeAmount(one.above, totals)]
      : [judgeChange(one.changed, totals, last.totals)];
  });
  // An unknown figure sends the report, even if other conditions fail.
  const unknown = judged.filter(({ fact: { because } }) => because === 'unknown');
  const failed = judged.filter(({ holds }) => !holds);
  const sent = unknown.length > 0 || failed.length === 0;
  const facts = unknown.length > 0 ? unknown : sent ? judged : failed;
  return { sent, facts: facts.map((one) => one.fact) };
};
