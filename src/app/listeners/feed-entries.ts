import type { RunState } from '../../storage/index.ts';
import type { UnixMillis } from '../../core/index.ts';
import type { AlertView } from '../../monitoring/index.ts';
import type { FeedEntry } from '../../web/index.ts';
import { readAlerts } from '../control/alerts.ts';

/** Entries of a feed; readers keep older ones. */
const most = 50;

const bad: readonly RunState[] = ['failed', 'interrupted', 'missed'];

const alertTexts = { raised: 'fires', recovered: 'recovered' } as const;

/** The level of an alert, with the amount of its budget, and with the spend where it fires since that moment. */
const describe = (level: string, view: AlertView | undefined, at: UnixMillis): string => {
  const { amount, spend } = view?.texts ?? {};
  if (view === undefined || amount === undefined) return level;
  const fires = view.firing.some((one) => one.level === level && one.raisedAt === at);
  return `${view.title ?? ''} ${view.alert} of ${amount}: ${level}${fires && spend !== undefined ? `; spend ${spend}` : ''}`;
};

/** Alerts that were raised or recovered, and runs that failed or were missed; newest first. */
export const feedEntries = async (deps: Parameters<typeof readAlerts>[0]): Promise<readonly FeedEntry[]> => {
  const { warehouse } = deps.app;
  const views = await readAlerts(deps);
  const alerts = (await warehouse.alerts.log(most)).flatMap(
    ({ at, account, action, subject, detail }): FeedEntry[] =>
      action === 'raised' || action === 'recovered'
        ? [
            {
              id: ['alert', account, subject, action, detail, at],
              at,
              title: `Alert ${subject} (account ${account}) ${alertTexts[action]}`,
              text: describe(
                detail,
                views.find((view) => view.account === account && view.alert === subject),
                at,
              ),
            },
          ]
        : [],
  );
  const runs = (await warehouse.runs.list({ states: bad, limit: most })).map(
    ({ job, slot, state, reason, endedAt }): FeedEntry => ({
      id: ['run', job, slot],
      at: endedAt ?? slot,
      title: `Job ${job} ${state}`,
      text: reason ?? '',
    }),
  );
  return [...alerts, ...runs].toSorted((left, right) => right.at - left.at).slice(0, most);
};
