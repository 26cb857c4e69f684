import { fault, formatSlot, didYouMean, isDate, readMoment, type Clock } from '../../core/index.ts';
import type { CommandHandlers } from '../../control/index.ts';
import { viewAlerts } from '../../jobs/index.ts';
import type { AlertView } from '../../monitoring/index.ts';
import type { AlertLogEntry, ExpectedEntry } from '../../warehouse/index.ts';
import { costOwnersOf } from '../accounts/cost-owners.ts';
import type { App } from '../compose.ts';

export type AlertAnswer = { readonly alert: string; readonly account: string; readonly message: string };

type Deps = { readonly clock: Clock; readonly app: App };

/** The budgets of the config, and every other alert that was evaluated or fires. */
export const readAlerts = async ({ clock, app }: Deps): Promise<readonly AlertView[]> => {
  const { alerts } = app.warehouse;
  const { settings } = app.config();
  const [statuses, records, mutes, acknowledgements] = [
    await alerts.statuses(),
    await alerts.firing(),
    await alerts.mutes(clock.now()),
    await alerts.acknowledgements(),
  ];
  return Object.keys(settings.accounts).flatMap((account) => {
    const own = <T extends { readonly account: string }>(rows: readonly T[]): readonly T[] =>
      rows.filter((row) => row.account === account);
    const firing = own(records);
    const facts = { account, costOwners: costOwnersOf(settings, account), firing };
    const stored = own(statuses);
    return viewAlerts(stored, facts).map((shown): AlertView => {
      const { alert } = shown;
      const open = firing.filter((one) => one.alert === alert);
      const acknowledged = own(acknowledgements).find((one) => one.alert === alert);
      const isSeen =
        acknowledged !== undefined &&
        open.length > 0 &&
        open.every(({ raisedAt }) => raisedAt <= acknowledged.at);
      return {
        ...shown,
        account,
        zone: shown.zone ?? settings.timezone,
        evaluatedAt: stored.find((one) => one.alert === alert)?.evaluatedAt,
        firing: open,
        mute: own(mutes).find((one) => one.alert === alert),
        ...(isSeen ? { acknowledged } : {}),
      };
    });
  });
};

/** Lists alerts, and acknowledges, mutes and unmutes them; each action is recorded in the table `operator_action`. */
export const createAlertHandlers = ({ clock, app }: Deps) => {
  /** @throws Fault `wrong-use` */
  const find = async (alert: string, account: string | undefined): Promise<AlertView> => {
    const all = await readAlerts({ clock, app });
    const fitting = all.filter(
      (one) => one.alert === alert && (account === undefined || one.account === account),
    );
    const [first, second] = fitting;
    if (first === undefined) {
      const names = [...new Set(all.map((one) => one.alert))];
      throw fault(
        'wrong-use',
        `there is no alert ${alert}${account === undefined ? '' : ` in account ${account}`}`,
        {
          advice: didYouMean(alert, names) ?? 'list the alerts with `tollkeeper alerts`',
        },
      );
    }
    if (second !== undefined)
      throw fault(
        'wrong-use',
        `the accounts ${fitting.map((one) => one.account).join(' and ')} have an alert ${alert}`,
        {
          advice: 'add --account NAME',
        },
      );
    return first;
  };

  /**
   * The same days in each account that they are for.
   * @throws Fault `wrong-use`
   */
  const daysOf = ({
    from,
    to = from,
    account,
  }: {
    readonly from: string;
    readonly to?: string | undefined;
    readonly account?: string | undefined;
  }): readonly Pick<ExpectedEntry, 'account' | 'first' | 'last'>[] => {
    for (const date of [from, to])
      if (!isDate(date))
        throw fault('wrong-use', `${JSON.stringify(date)} is not a date`, {
          advice: 'write a date such as 2026-11-27',
        });
    if (to < from)
      throw fault('wrong-use', `${to} is before ${from}`, { advice: 'write the first day before the last' });
    const accounts = Object.keys(app.config().settings.accounts);
    if (account !== undefined && !accounts.includes(account))
      throw fault('wrong-use', `there is no account ${account}`, {
        advice: didYouMean(account, accounts) ?? `accounts: ${accounts.join(', ')}`,
      });
    return (account === undefined ? accounts : [account]).map((name) => ({
      account: name,
      first: from,
      last: to,
    }));
  };

  return {
    'alerts/list': async (): Promise<readonly AlertView[]> => readAlerts({ clock, app }),
    'alerts/log': async ({ limit }): Promise<readonly AlertLogEntry[]> => app.warehouse.alerts.log(limit),
    'alerts/mute': async ({ alert, account, until, who, reason }): Promise<AlertAnswer> => {
      const view = await find(alert, account);
      const now = clock.now();
      const end = readMoment(until, view.zone);
      if (end === undefined)
        throw fault('wrong-use', `${JSON.stringify(until)} is not a date or moment`, {
          advice: 'write a date such as 2026-12-01, or a moment such as 2026-12-01T08:00',
        });
      if (end <= now)
        throw fault('wrong-use', `${formatSlot(end, view.zone)} is in the past`, {
          advice: 'write a moment in the future; `tollkeeper alerts unmute` ends a mute now',
        });
      await app.warehouse.alerts.mute({
        account: view.account,
        alert,
        until: end,
        mutedAt: now,
        by: who,
        reason,
      });
      return {
        alert,
        account: view.account,
        message: `muted until ${formatSlot(end, view.zone)}; an alert that still fires then sends a notification`,
      };
    },
    'alerts/unmute': async ({ alert, account, who }): Promise<AlertAnswer> => {
      const view = await find(alert, account);
      const removed = await app.warehouse.alerts.unmute(view.account, alert, who, clock.now());
      return {
        alert,
        account: view.account,
        message: removed ? 'no longer muted' : 'it was not muted',
      };
    },
    'alerts/acknowledge': async ({ alert, account, who, reason }): Promise<AlertAnswer> => {
      const view = await find(alert, account);
      if (view.firing.length === 0)
        throw fault('wrong-use', `the alert ${alert} does not fire, so there is nothing to acknowledge`, {
          advice: 'list the alerts with `tollkeeper alerts`',
        });
      await app.warehouse.alerts.acknowledge({
        account: view.account,
        alert,
        at: clock.now(),
        by: who,
        reason,
      });
      return { alert, account: view.account, message: `acknowledged by ${who}` };
    },
    'alerts/expected': async (): Promise<readonly ExpectedEntry[]> => app.warehouse.alerts.expected(),
    'alerts/expect': async ({ reason, who, ...days }): Promise<readonly ExpectedEntry[]> => {
      const entries = daysOf(days).map((one) => ({ ...one, reason, by: who, at: clock.now() }));
      for (const entry of entries) await app.warehouse.alerts.expect(entry);
      return entries;
    },
    'alerts/forget': async ({ who, ...days }): Promise<{ readonly forgotten: number }> => {
      let forgotten = 0;
      for (const one of daysOf(days))
        if (await app.warehouse.alerts.forget(one, who, clock.now())) forgotten += 1;
      if (forgotten === 0)
        throw fault('wrong-use', 'these days are not expected', {
          advice: 'list the expected days with `tollkeeper alerts expect`',
        });
      return { forgotten };
    },
  } satisfies Partial<CommandHandlers>;
};
