import { countText, formatMoment, unixSeconds, type UnixSeconds } from '../../../core/index.ts';
import type { BudgetStatus } from '../../../monitoring/index.ts';

type Reason = NonNullable<BudgetStatus['reason']>;

/** Why the state is unknown, and the next step. Times in the given zone, as `show` writes them. */
export const reasonText = (
  reason: Reason,
  {
    zone,
    scope,
    account,
    show = formatMoment,
  }: {
    readonly zone: string;
    readonly scope: string;
    readonly account: string;
    readonly show?: (moment: UnixSeconds, zone: string) => string;
  },
): { readonly what: string; readonly toDo: string } => {
  const at = (seconds: number): string => show(unixSeconds(seconds), zone);
  switch (reason.kind) {
    case 'no-data':
      return {
        what: 'no call log has been pulled yet',
        toDo: 'Run the job of kind pull-logs; `tollkeeper status` shows its last run.',
      };
    case 'stale':
      return {
        what: `the call log reaches ${at(reason.reaches)}; data through ${at(reason.needed)} is needed`,
        toDo: 'Check why the call log is late: `tollkeeper status` shows the last run of the job of kind pull-logs.',
      };
    case 'unit':
      return {
        what: 'the unit of the amounts is not proven',
        toDo: `Set gateway.amounts of the account ${account} to currency or units, or wait until the data proves it.`,
      };
    case 'no-calls':
      return {
        what: `the call log contains no call of ${scope}`,
        toDo: 'Check the name in the budget: `tollkeeper report spend-summary` lists models and keys as the gateway names them.',
      };
    case 'starts-late':
      return {
        what: `the call log starts at ${at(reason.starts)}, after the period began; the spend is a lower bound`,
        toDo: 'Set since of the job of kind pull-logs to an earlier day.',
      };
    case 'unreadable-rows':
      return {
        what: `${countText(reason.rows, 'row')} of the period could not be read; the spend is a lower bound`,
        toDo: '`tollkeeper doctor` shows the rows and why they cannot be read.',
      };
    case 'missing-rows':
      return {
        what: `the call log is missing charges (${reason.text}); the spend is a lower bound`,
        toDo: '`tollkeeper reconcile` compares every source with the call log.',
      };
    default:
      return reason satisfies never;
  }
};
