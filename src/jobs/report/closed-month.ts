import { fault, isWholeMonth, type Allowance } from '../../core/index.ts';
import { localeOf } from '../../messages/index.ts';
import { resolvePeriod, type ReportModel } from '../../reports/index.ts';
import type { ClosedMonth } from '../../warehouse/index.ts';
import type { JobContext } from '../job-kind.ts';
import { closeMonth } from './close-month.ts';
import type { ComposeReport } from './composed.ts';

export type MonthRequest = {
  /** A whole month; defaults to the last one. */
  readonly period?: string | undefined;
  /** Defaults to the zone in which months of the account are closed, or else to that of the configuration. */
  readonly zone?: string | undefined;
  readonly allow?: readonly Allowance[];
};

/** The report whose signature closes a month. */
const closingReport = 'statement';

/** Why a month could not be closed. */
const whyOpen = (
  closing: Awaited<ReturnType<typeof closeMonth>>,
  { seal }: ReportModel,
  { locale }: JobContext,
): string => {
  if (closing?.state === 'other-zone') return `months of the account are closed in ${closing.zone}`;
  if (closing?.state === 'unproven') return 'the unit of its amounts is not proven';
  const { reasons } = localeOf(locale).messages.seal;
  return seal?.state === 'draft' ? seal.reasons.map((reason) => reasons[reason]).join('; ') : '';
};

/** The closed month of a period, which is closed now if it can be. @throws faults month-open, period-invalid */
export const closedMonth = async (
  { period = 'last-month', zone: asked, allow }: MonthRequest,
  context: JobContext,
  compose: ComposeReport,
): Promise<ClosedMonth> => {
  const { account, warehouse, slot, locale } = context;
  const months = await warehouse.closed.months(account.name);
  const zone = asked ?? months[0]?.zone ?? context.zone;
  const { first, last } = resolvePeriod(period, slot, zone, locale);
  if (!isWholeMonth(first, last))
    throw fault('period-invalid', `${period} is not one whole calendar month`, {
      advice: 'name a month, such as 2026-10 or last-month',
    });
  const month = first.slice(0, 7);
  const known = months.find((closed) => closed.month === month);
  if (known !== undefined) return known;
  const own = { ...context, zone };
  const composed = await compose({ report: closingReport, period, allow }, own);
  const closing = await closeMonth(composed, own);
  if (closing?.state === 'closed' || closing?.state === 'known') return closing.month;
  throw fault(
    'month-open',
    `${month} of ${account.name} is not closed: ${whyOpen(closing, composed.model, context)}`,
  );
};
