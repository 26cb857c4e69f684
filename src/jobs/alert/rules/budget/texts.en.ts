import { countText } from '../../../../core/index.ts';
import { describeScope, levelName } from '../../../../monitoring/index.ts';
import type { BudgetTexts } from './texts.ts';

export const english: BudgetTexts = {
  scope: describeScope,
  ofAccount: (scope, account) => `${scope} (account ${account})`,
  period: (range, zone) => `${range} (${zone})`,
  level: (on, label) => levelName({ on, label }),
  moreThanNothing: 'more than 0',
  share: ({ amount, percent, budget, atLeast }) =>
    `${atLeast ? 'at least ' : ''}${amount}, ${percent} of ${budget}`,
  title: (budget, on, share) => `Budget ${budget}: ${on === 'forecast' ? 'forecast ' : ''}${share}`,
  exceeded: ({ on, share, over, threshold }) =>
    `${on === 'actual' ? 'Spend is' : 'The forecast for the period is'} ${share}, ${over === undefined ? 'at' : `${over} over`} the threshold of ${threshold}.`,
  also: (on, threshold, isShare) => `${on} ${threshold}${isShare ? ' of the budget' : ''}`,
  outlook: {
    ended: 'The period has ended.',
    tooEarly: 'There is no forecast yet: the call log covers less than seven days.',
    none: 'A forecast is not possible with the available data.',
    expected: ({ method, days, amount, low, high, range, end, difference, isOver }) =>
      `${method === 'pace' ? `At the average of the last ${days === 1 ? 'day' : `${days} days`}` : 'By its weekdays, level and trend'}, spend will reach ${amount} (${range === 'interval' ? 'with a probability of 80% ' : ''}between ${low} and ${high}) by ${end}: ${difference === undefined ? 'exactly' : `${difference} ${isOver ? 'over' : 'under'}`} the budget.`,
  },
  operatorAdvice: (word) =>
    `Find out what uses the models and services named here, or raise the budget. \`tollkeeper alerts mute ${word} --until DATE\` stops notifications, \`tollkeeper alerts ack ${word}\` records that you have seen this.`,
  ownerAdvice: (operators) =>
    `Is this usage expected?${operators === '' ? '' : ` To change the budget or its recipients, ask ${operators}.`}`,
  noFurther: 'About these thresholds we write again only if the figure drops back below them.',
  allBudgets: '`tollkeeper alerts` shows all budgets.',
  recovered: {
    title: (budget, share) =>
      `Budget ${budget} is below its threshold again${share === undefined ? '' : `: ${share}`}`,
    what: (levels, on) =>
      `No longer reached: ${levels}. ${on === 'actual' ? 'The gateway restated or refunded charges, or the budget was raised.' : 'The forecast fell; the spend did not reach the threshold.'}`,
    now: (share) => `Spend is ${share}.`,
  },
  models: 'Models',
  services: 'Services',
  others: (count) => `${count} others`,
  unknown: {
    title: (budgets) => `The state of ${countText(budgets, 'budget')} is unknown`,
    reasons: {
      'no-data': () => ({
        what: 'no call log has been pulled yet',
        toDo: 'Run the job of kind pull-logs; `tollkeeper status` shows its last run.',
      }),
      stale: ({ reaches, needed }, { at }) => ({
        what: `the call log reaches ${at(reaches)}; data through ${at(needed)} is needed`,
        toDo: 'Check why the call log is late: `tollkeeper status` shows the last run of the job of kind pull-logs.',
      }),
      unit: (_, { account }) => ({
        what: 'the unit of the amounts is not proven',
        toDo: `Set gateway.amounts of the account ${account} to currency or units, or wait until the data proves it.`,
      }),
      'no-calls': ({ nearest }, { scope }) => ({
        what: `the call log contains no call of ${scope}`,
        toDo:
          nearest === undefined
            ? 'Check the name in the budget: `tollkeeper report spend-summary` lists models and keys as the gateway names them.'
            : `Check the name in the budget. Did you mean ${nearest}?`,
      }),
      'starts-late': ({ starts }, { at }) => ({
        what: `the call log starts at ${at(starts)}, after the period began; the spend is a lower bound`,
        toDo: 'Set since of the job of kind pull-logs to an earlier day.',
      }),
      'unreadable-rows': ({ rows }) => ({
        what: `${countText(rows, 'row')} of the period could not be read; the spend is a lower bound`,
        toDo: '`tollkeeper doctor` shows the rows and why they cannot be read.',
      }),
      'missing-rows': ({ text }) => ({
        what: `the call log is missing charges (${text}); the spend is a lower bound`,
        toDo: '`tollkeeper reconcile` compares every source with the call log.',
      }),
    },
    sentence: (what) => `${what}.`,
    known: ({ amount, through, percent, budget }) =>
      `Spend is at least ${amount} through ${through}, ${percent} of the budget of ${budget}.`,
    closing:
      'Thresholds are not evaluated until then. No further mail is sent until the state is known again.',
    recoveredTitle: 'The state of all budgets is known again',
    recovered: (account) => `All budgets of the account ${account} are evaluated again.`,
  },
};
