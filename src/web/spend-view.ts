import type { UnixMillis } from '../core/index.ts';
import type { DaySpend, MonthOutlook, SpendSums, TeamSums } from '../monitoring/index.ts';

/** Spend of an account, or of one team's keys in it. */
export type SpendView = {
  readonly account: string;
  readonly currency: string;
  /** Time zone of its days. */
  readonly zone: string;
  /** End of the pulled call log; missing before the first pull. */
  readonly through?: UnixMillis;
  /** Moment of the last month up to which its spend is compared with this month's; missing without sums. */
  readonly lastMonthThrough?: UnixMillis;
  /** Missing before the first pull, and while the unit of amounts is not proven. */
  readonly sums?: SpendSums;
  /** Whole days, oldest first; the last is today. Empty without sums. */
  readonly days: readonly DaySpend[];
  /** How this month is expected to end; missing where past months are not known, and while the data ends in another month. */
  readonly outlook?: MonthOutlook | undefined;
  /** Empty without sums. */
  readonly teams: readonly TeamSums[];
};
