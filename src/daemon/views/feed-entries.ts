import type { RunState } from '../../storage/index.ts';
import type { FeedEntry } from '../../web/index.ts';
import type { App } from '../open-app.ts';

/** Entries of a feed; readers keep older ones. */
const most = 50;

const bad: readonly RunState[] = ['failed', 'interrupted', 'missed'];

const alertTexts = { raised: 'fires', recovered: 'recovered' } as const;

/** Alerts that were raised or recovered, and runs that failed or were missed; newest first. */
export const feedEntries = async ({ warehouse }: Pick<App, 'warehouse'>): Promise<readonly FeedEntry[]> => {
  const alerts = (await warehouse.alerts.log(most)).flatMap(
    ({ at, account, action, subject, detail }): FeedEntry[] =>
      action === 'raised' || action === 'recovered'
        ? [
            {
              id: ['alert', account, subject, action, detail, at],
              at,
              title: `Alert ${subject} (account ${account}) ${alertTexts[action]}`,
              text: detail,
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
