import type { UnixSeconds } from '../../core/index.ts';
import type { Context } from './context.ts';
import type { ReportFacts } from '../definition/facts.ts';
import { type Locale, formatExact } from '../../messages/index.ts';
import type { HeadlineModel } from './model.ts';
import { showName } from './names.ts';

const inUtc = (moment: UnixSeconds, { locale }: Context): string =>
  locale.moment(moment, 'UTC').replace(' UTC', '');

/** A report on a part of the account shows how the whole compares, without its amounts. */
export const describeReconciled = (
  { ofPart }: ReportFacts,
  { text, good }: NonNullable<ReportFacts['reconciliation']>,
  { messages }: Locale,
): string => (ofPart === true ? messages.wholeAccount(good) : showName(text, 400));

/** The sources of the figures: watermark, reconciliation and the run; if not `isShort`, the exact total, units and rounding. */
export const buildFooter = (
  headline: HeadlineModel,
  facts: ReportFacts,
  context: Context,
  isShort: boolean,
): readonly string[] => {
  const { footer } = context.locale.messages;
  const { start, end } = context.period.interval;
  const { dataThrough, dataSince, reconciliation } = facts;
  return [
    dataThrough === undefined
      ? footer.noWatermark
      : footer.watermark(context.locale.moment(dataThrough, context.zone)),
    ...(dataSince !== undefined && dataSince > context.period.comparison.interval.start
      ? [footer.since(context.locale.moment(dataSince, context.zone))]
      : []),
    reconciliation === undefined
      ? footer.noReconciliation
      : footer.reconciliation(describeReconciled(facts, reconciliation, context.locale)),
    ...(isShort
      ? []
      : [
          ...(headline.value.exact === null || headline.format !== 'money'
            ? []
            : [
                footer.exact(
                  headline.label,
                  formatExact(headline.value.exact, context.locale),
                  context.currency,
                ),
              ]),
          footer.units(context.currency, context.zone, inUtc(start, context), inUtc(end, context)),
          footer.rounding,
        ]),
    footer.run(showName(facts.runId, 80)),
  ];
};
