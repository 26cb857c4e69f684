import { addDays, fault, hasCode, subtractMoney, type Allowance } from '../../core/index.ts';
import type { Period } from '../../reports/index.ts';
import { tagsOf, teamOf, type Journal } from '../../warehouse/index.ts';
import { noCostOwners } from '../cost-owners.ts';
import type { JobContext } from '../job-kind.ts';
import { closedMonth } from '../report/closed-month.ts';
import type { ComposeReport } from '../report/composed.ts';
import { journalOf, type JournalAmount } from './journal-lines.ts';

/** Spend of the key of a service, in one month. */
type KeySpend = Omit<JournalAmount, 'name'> & { readonly key: string; readonly service: string };

/** The log of the period as it is. Undefined while the unit of its amounts is not proven. */
const openSpend = async (
  { interval: { start, end }, first }: Period,
  { account, warehouse, zone, signal }: JobContext,
): Promise<readonly KeySpend[] | undefined> => {
  const { sums, isProven } = await warehouse.sums(
    { account: account.name, zone, bounds: [start, end], segments: new Set([0]), tokens: false, by: ['key'] },
    signal,
  );
  return isProven
    ? sums.key.map(({ key, service, charge, refunds }) => ({
        key,
        service,
        month: first.slice(0, 7),
        amount: subtractMoney(charge, refunds),
      }))
    : undefined;
};

/**
 * The journal of the month of a period, which is closed first if it can be. A month that stays open, and a part of a month, have a draft
 * if that is allowed.
 * @throws faults month-open, period-invalid
 */
export const readJournal = async (
  period: Period,
  allow: readonly Allowance[],
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
  const journal = (spend: readonly KeySpend[], month: string, isDraft: boolean): Journal => ({
    isDraft,
    lines: journalOf(
      spend.map(({ key, service, month: of, amount }) => ({ name: nameOf(key, service), month: of, amount })),
      month,
      settings,
    ),
  });
  const { first, last } = period;
  const mayDraft = allow.includes('draft') && first.slice(0, 7) === last.slice(0, 7);
  try {
    const { month } = await closedMonth({ period: `${first}..${addDays(last, 1)}`, allow }, context, compose);
    return journal(await warehouse.closed.booked(account.name, month), month, false);
  } catch (error) {
    if (!mayDraft || !(hasCode(error, 'month-open') || hasCode(error, 'period-invalid'))) throw error;
    const spend = await openSpend(period, context);
    if (spend === undefined) throw error;
    return journal(spend, first.slice(0, 7), true);
  }
};
