import { addDays, fault, hasCode, isWholeMonth, subtractMoney } from '../../core/index.ts';
import type { Period } from '../../reports/index.ts';
import { tagsOf, teamOf, type Journal } from '../../warehouse/index.ts';
import { noCostOwners } from '../cost-owners.ts';
import type { JobContext } from '../job-kind.ts';
import { closedMonth } from '../report/closed-month.ts';
import type { ComposeReport, ReportRequest } from '../report/composed.ts';
import { journalOf, type JournalAmount } from './journal-lines.ts';

/** Spend of the key of a service, in one month. */
type KeySpend = Omit<JournalAmount, 'name'> & { readonly key: string; readonly service: string };

/** The log of the period as it is. @throws fault month-open while the unit of its amounts is not proven */
const openSpend = async (
  { interval: { start, end }, first }: Period,
  { account, warehouse, zone, signal }: JobContext,
): Promise<readonly KeySpend[]> => {
  const { sums, isProven } = await warehouse.sums(
    { account: account.name, zone, bounds: [start, end], segments: new Set([0]), tokens: false, by: ['key'] },
    signal,
  );
  const month = first.slice(0, 7);
  if (!isProven && sums.key.length > 0)
    throw fault('month-open', `${month} of ${account.name} has amounts whose unit is not proven`);
  return sums.key.map(({ key, service, charge, refunds }) => ({
    key,
    service,
    month,
    amount: subtractMoney(charge, refunds),
  }));
};

/** The month as it was closed; undefined where it stays open and a draft is accepted. @throws faults month-open, period-invalid */
const monthOf = async (
  { first, last }: Period,
  { allow: asked = [], isPreview = false }: Pick<ReportRequest, 'allow' | 'isPreview'>,
  context: JobContext,
  compose: ComposeReport,
): Promise<string | undefined> => {
  const { account, warehouse } = context;
  const month = first.slice(0, 7);
  const [isWhole, isOfOne] = [isWholeMonth(first, last), month === last.slice(0, 7)];
  const allow = [asked].flat();
  if (isPreview && isOfOne) {
    const closed = await warehouse.closed.months(account.name);
    return isWhole ? closed.find((one) => one.month === month)?.month : undefined;
  }
  if (isOfOne && !isWhole && allow.includes('draft')) return undefined;
  try {
    return (await closedMonth({ period: `${first}..${addDays(last, 1)}`, allow }, context, compose)).month;
  } catch (error) {
    if (allow.includes('draft') && hasCode(error, 'month-open')) return undefined;
    throw error;
  }
};

/**
 * The journal of the month of a period, which is closed first if it can be. A month that stays open, and a part of a month, have a draft
 * if that is accepted; a preview closes nothing. @throws faults month-open, period-invalid
 */
export const readJournal = async (
  period: Period,
  request: Pick<ReportRequest, 'allow' | 'isPreview'>,
  context: JobContext,
  compose: ComposeReport,
): Promise<Journal> => {
  const { account, warehouse, costOwners = noCostOwners } = context;
  const { journal: settings } = account;
  if (settings === undefined)
    throw fault('wrong-use', `the account ${account.name} has no journal`, {
      advice: 'set it in the account: journal: { credit: "1600", other: "6815" }',
    });
  const { teams, tags = [] } = costOwners;
  const nameOf = (key: string, service: string): string | null =>
    settings.by === 'team' ? teamOf(key, service, teams) : tagsOf(key, service, tags).cost_center;
  const closed = await monthOf(period, request, context, compose);
  const spend =
    closed === undefined
      ? await openSpend(period, context)
      : await warehouse.closed.booked(account.name, closed);
  return {
    isDraft: closed === undefined,
    lines: journalOf(
      spend.map(({ key, service, month, amount }) => ({ name: nameOf(key, service), month, amount })),
      closed ?? period.first.slice(0, 7),
      settings,
    ),
  };
};
