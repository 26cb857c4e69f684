import {
  absoluteMoney,
  compareMoney,
  money,
  multiplyMoney,
  subtractMoney,
  zero,
  type Money,
} from '../../core/index.ts';
import { changeOf, compare } from './change.ts';
import type { Context } from './context.ts';
import { isWithheld, show } from './show-value.ts';
import type { ReportShape } from '../definition/definition.ts';
import { formatDifference } from '../../messages/index.ts';
import type { HeadlineModel } from './model.ts';
import { showName } from './names.ts';

/** A sentence about what changed, and the names in it. */
export type Explanation = { readonly text: string; readonly names: readonly string[] };

/** A sentence about the one name that contributed most to the change of the total. */
const causeOf = (shape: ReportShape['headline'], moved: Money, context: Context): Explanation | undefined => {
  const { cause } = shape;
  const rise = compareMoney(moved, zero) > 0;
  if (cause === undefined || compareMoney(moved, zero) === 0) return undefined;
  const table = context.table(cause.sql);
  const [most] = table.rows
    .map((row) => {
      const now = table.figure(row, cause.value) ?? zero;
      const before = table.figure(row, `${cause.value}_before`) ?? zero;
      const by = subtractMoney(now, before);
      const isApart = cause.apart !== undefined && table.cell(row, cause.apart.when) === true;
      const name = table.text(row, cause.name);
      return { name, isApart, now, before, by: rise ? by : subtractMoney(zero, by) };
    })
    .sort((left, right) => compareMoney(right.by, left.by));
  if (most === undefined || compareMoney(most.by, zero) <= 0) return undefined;
  const change = changeOf(most.now, most.before, undefined, context.locale);
  const text = context.locale.messages.cause({
    name: most.isApart
      ? (cause.apart?.label ?? '')
      : showName(most.name, 60) || (cause.empty ?? context.locale.messages.unnamed),
    isMany: most.isApart,
    rise,
    most: compareMoney(multiplyMoney(most.by, money('2')), absoluteMoney(moved)) >= 0,
    amount: formatDifference(subtractMoney(most.now, most.before), context.currency, context.locale),
    percent: change.direction === 'unknown' ? '' : change.text,
  });
  return { text, names: [most.name] };
};

export const buildHeadline = (
  shape: ReportShape['headline'],
  state: 'complete' | 'partial' | 'missing',
  context: Context,
  explained?: Explanation,
): { readonly headline: HeadlineModel; readonly names: readonly string[] } => {
  const { messages } = context.locale;
  const table = context.table(shape.sql);
  const row = table.only();
  const now = table.figure(row, shape.name);
  const hasBefore = table.has(`${shape.name}_before`);
  const before = hasBefore ? table.figure(row, `${shape.name}_before`) : null;
  const withheld = isWithheld(shape.format, context);
  const isUnknown = state === 'missing' || now === null || withheld;
  const { comparison } = context.period;
  const versus = messages.versus(show(before, shape.format, context).text, context.comparedLabel);
  const describeCompared = (): string => {
    // A report without a comparison does not mention one.
    if (!hasBefore || comparison.days.length === 0 || withheld) return '';
    if (context.comparable) return versus;
    const { noDataBefore } = context;
    if (noDataBefore !== undefined && state !== 'missing')
      return messages.notComparedBefore(comparison.label, noDataBefore);
    return messages.notCompared[state === 'complete' ? 'nothing-before' : 'incomplete'];
  };
  const change = compare(isUnknown ? null : now, () => before, shape.good, context);
  const cause =
    (change.direction === 'up' || change.direction === 'down') && now !== null && before !== null
      ? (explained ?? causeOf(shape, subtractMoney(now, before), context))
      : undefined;
  const headline: HeadlineModel = {
    label: shape.label ?? messages.spend,
    format: shape.format,
    value: isUnknown
      ? { exact: null, text: withheld && state !== 'missing' ? messages.amountsUnknown : messages.noDataYet }
      : show(now, shape.format, context),
    change,
    compared: describeCompared(),
    cause: cause?.text,
  };
  return { headline, names: cause?.names ?? [] };
};
