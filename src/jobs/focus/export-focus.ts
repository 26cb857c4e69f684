import {
  addDays,
  fault,
  focusVersions,
  interval,
  isWholeMonth,
  startOfDay,
  type FocusVersion,
  type Interval,
  type UnixSeconds,
} from '../../core/index.ts';
import { billingPeriodLines, chargesOf, csvLines, isCorrection } from '../../focus/index.ts';
import { localeOf } from '../../messages/index.ts';
import { resolvePeriod, type ReportModel } from '../../reports/index.ts';
import { tagsOf, teamOf, type ClosedMonth } from '../../warehouse/index.ts';
import { noCostOwners } from '../cost-owners.ts';
import type { JobContext } from '../job-kind.ts';
import { closeMonth } from '../report/close-month.ts';
import { composeReport } from '../report/compose-report.ts';

export type FocusRequest = {
  /** A whole month; defaults to the last one. */
  readonly period?: string | undefined;
  /** Defaults to the zone in which months of the account are closed, or else to that of the configuration. */
  readonly zone?: string | undefined;
  readonly version?: FocusVersion | undefined;
};

export type ExportedMonth = {
  /** `2026-10` */
  readonly month: string;
  readonly currency: string;
  /** Of the month itself, without corrections. */
  readonly spend: string;
  /** Lines of charges. */
  readonly rows: number;
  /** Those of them that correct earlier months. */
  readonly corrections: number;
  readonly files: readonly { readonly name: string; readonly text: string }[];
};

/** The report whose signature closes a month. */
const closingReport = 'statement';

const whyOpen = ({ seal }: ReportModel, { locale }: JobContext): string => {
  const { reasons } = localeOf(locale).messages.seal;
  return seal?.state === 'draft' ? seal.reasons.map((reason) => reasons[reason]).join('; ') : '';
};

/** The closed month of a period, which is closed now if it can be. @throws faults month-open, period-invalid */
const closedMonth = async (request: FocusRequest, context: JobContext): Promise<ClosedMonth> => {
  const { account, warehouse, slot, locale } = context;
  const months = await warehouse.closed.months(account.name);
  const zone = request.zone ?? months[0]?.zone ?? context.zone;
  const { period = 'last-month' } = request;
  const { first, last } = resolvePeriod(period, slot, zone, locale);
  if (!isWholeMonth(first, last))
    throw fault('period-invalid', `${period} is not one whole calendar month`, {
      advice: 'name a month, such as 2026-10 or last-month',
    });
  const month = first.slice(0, 7);
  const known = months.find((closed) => closed.month === month);
  if (known !== undefined) return known;
  const own = { ...context, zone };
  const composed = await composeReport({ report: closingReport, period }, own);
  const closing = await closeMonth(composed, own);
  if (closing?.state === 'closed' || closing?.state === 'known') return closing.month;
  const why =
    closing?.state === 'other-zone'
      ? `months of the account are closed in ${closing.zone}`
      : whyOpen(composed.model, context);
  throw fault('month-open', `${month} of ${account.name} is not closed: ${why}`);
};

/** The range of a local day: of the month, or of an earlier one that is corrected. */
const dayRanges = (zone: string): ((day: string) => Interval<UnixSeconds>) => {
  const known = new Map<string, Interval<UnixSeconds>>();
  return (day) => {
    const range = known.get(day) ?? interval(startOfDay(day, zone), startOfDay(addDays(day, 1), zone));
    known.set(day, range);
    return range;
  };
};

/**
 * A closed month in FOCUS, the format in which accounting loads bills. A month that is open is closed first, as by its statement. The
 * same month gives the same bytes, as long as the owners of keys stay the same. @throws fault month-open
 */
export const exportFocus = async (request: FocusRequest, context: JobContext): Promise<ExportedMonth> => {
  const { account, warehouse, costOwners = noCostOwners, progress } = context;
  const { version = focusVersions[0] } = request;
  const { focus: names } = account;
  if (names === undefined) throw fault('wrong-use', `the account ${account.name} has no names for exports`);
  const closed = await closedMonth(request, context);
  const { month, zone, range, currency, unit, spend, verdict, reached, closedAt } = closed;
  progress({ step: `exporting ${month}` });
  const rows = await warehouse.closed.rows(account.name, month);
  const corrections = await warehouse.closed.corrections(account.name, month);
  const prices = await warehouse.closed.prices(account.name, month);
  const byDay = new Map(prices.map((one) => [`${one.day} ${one.model}`, one.prices]));
  const { teams, tags = [] } = costOwners;
  const charges = chargesOf(rows, corrections, {
    ownerOf: (key, service) => ({ team: teamOf(key, service, teams), tags: tagsOf(key, service, tags) }),
    pricesOf: (day, model) => byDay.get(`${day} ${model}`),
    unit,
  });
  const given = {
    names,
    currency,
    period: range,
    dayOf: dayRanges(zone),
    verdict,
    reached,
    closedAt,
  };
  return {
    month,
    currency,
    spend,
    rows: charges.length,
    corrections: charges.filter(isCorrection).length,
    files: [
      {
        name: `focus-${account.name}-${month}-cost-and-usage.csv`,
        text: [...csvLines(charges, given, version)].join(''),
      },
      ...(version === '1.4'
        ? [
            {
              name: `focus-${account.name}-${month}-billing-period.csv`,
              text: [...billingPeriodLines(given)].join(''),
            },
          ]
        : []),
    ],
  };
};
