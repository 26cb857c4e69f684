import type { UnixMillis } from '../../core/index.ts';
import { decideAlerts, type AlertRecord, type Assessment } from '../../monitoring/index.ts';
import { localeOf } from '../../messages/index.ts';
import { prepare } from '../../notify/index.ts';
import { renderAlertEmail } from '../../reports/index.ts';
import type { OutboxEntry } from '../../storage/index.ts';
import { noCostOwners } from '../cost-owners.ts';
import type { JobContext } from '../job-kind.ts';
import type { Evaluation } from './evaluate.ts';
import { budgetAlert, budgetRecovery } from './budget-mails.ts';
import type { AlertNotification, MessageContext } from './notification.ts';
import { readExplanations, type Explanation } from './read-explanations.ts';
import { runwayAlert, runwayRecovery } from './runway-mails.ts';
import { unknownAlert, unknownRecovery } from './unknown-mails.ts';

/** Records of one alert and period. */
type Group = readonly [AlertRecord, ...AlertRecord[]];

const groupsOf = (records: readonly AlertRecord[]): readonly Group[] => {
  const groups = new Map<string, Group>();
  for (const record of records) {
    const name = JSON.stringify([record.alert, record.period]);
    const group = groups.get(name);
    groups.set(name, group === undefined ? [record] : [...group, record]);
  }
  return [...groups.values()];
};

/** What the mails of an alert have in common. The periods of a budget are topics of their own. */
const topicOf = ({ alert, period }: AlertRecord, { budgets }: Evaluation): string =>
  JSON.stringify(budgets.some(({ budget }) => budget.name === alert) ? [alert, period] : [alert]);

type Topical = AlertNotification & {
  readonly topic: string;
  /** The alert that begins; missing when it ends. */
  readonly begins?: string | undefined;
};

type Explanations = ReadonlyMap<Assessment, Explanation>;

const notificationsOf = (
  event: 'alert' | 'recovered',
  records: Group,
  { budgets, runways, unknown }: Evaluation,
  explanations: Explanations,
  context: MessageContext,
): readonly AlertNotification[] => {
  const [first] = records;
  if (first.alert === 'data' || first.alert.startsWith('data:'))
    return [event === 'alert' ? unknownAlert(records, unknown, context) : unknownRecovery(records, context)];
  const read = runways.find(({ alert }) => alert === first.alert);
  if (read !== undefined) {
    if (event === 'recovered') return [runwayRecovery(records, read, context)];
    return read.runway.state === 'known' ? [runwayAlert(records, read, read.runway, context)] : [];
  }
  const assessment = budgets
    .find((one) => one.budget.name === first.alert)
    ?.periods.find(({ assessment: { period } }) => String(period.start) === first.period)?.assessment;
  if (assessment === undefined) return [];
  return event === 'alert'
    ? budgetAlert(records, assessment, explanations.get(assessment), context)
    : budgetRecovery(records, assessment, context);
};

/** `notified` counts the messages that were enqueued, one for each recipient. */
export type Decided = {
  readonly raised: number;
  readonly recovered: number;
  readonly ended: number;
  readonly notified: number;
};

/** Renders the mails and stores their bytes. */
const mailsOf = async (
  notifications: readonly Topical[],
  {
    mail,
    account,
    warehouse: { outbox },
    reports: { pageUrl: page, alertLink },
    locale,
    clock,
    signal,
  }: JobContext,
): Promise<readonly OutboxEntry[]> => {
  const entries: OutboxEntry[] = [];
  if (mail === undefined) return entries;
  for (const { id, topic, begins, to, ...message } of notifications) {
    signal.throwIfAborted();
    const key = { account: account.name, kind: 'alert', subject: id };
    const { from } = mail;
    const rendered = renderAlertEmail({
      ...message,
      locale: localeOf(locale),
      page,
      action: begins === undefined ? undefined : alertLink?.(begins, id),
    });
    const topics = [topic];
    entries.push(...(await prepare({ outbox, clock, ...mail }, { key, from, to, topics, ...rendered })));
  }
  return entries;
};

/** Decides which alerts begin and end, and stores them together with their mails. */
export const decide = async (
  evaluation: Evaluation,
  now: UnixMillis,
  context: JobContext,
): Promise<Decided> => {
  const { account, warehouse, zone, costOwners = noCostOwners } = context;
  const { conditions, budgets } = evaluation;
  const alerts = [...new Set(conditions.map(({ alert }) => alert))];
  const messages: MessageContext = {
    account: account.name,
    zone,
    locale: localeOf(context.locale),
    now,
    operators: costOwners.operators,
  };
  let decided: Decided = { raised: 0, recovered: 0, ended: 0, notified: 0 };
  await warehouse.alerts.decide(account.name, alerts, now, async ({ records, mutes }) => {
    const muted = new Set(mutes.map(({ alert }) => alert));
    const isMuted = (alert: string): boolean => muted.has(alert);
    const { raised, recovered, ended } = decideAlerts({ conditions, records, isMuted, now });
    const explanations = await readExplanations(
      budgets.flatMap(({ periods }) =>
        periods.filter(({ assessment: { budget, period } }) =>
          raised.some((one) => one.alert === budget.name && one.period === String(period.start)),
        ),
      ),
      context,
    );
    const about = (event: 'alert' | 'recovered', all: readonly AlertRecord[]): readonly Topical[] =>
      groupsOf(all).flatMap((group) =>
        notificationsOf(event, group, evaluation, explanations, messages).map((notification) => ({
          ...notification,
          topic: topicOf(group[0], evaluation),
          begins: event === 'alert' ? group[0].alert : undefined,
        })),
      );
    const notifications = [
      ...about('alert', raised),
      ...about(
        'recovered',
        recovered.filter(({ alert }) => !muted.has(alert)),
      ),
    ];
    const mails = await mailsOf(notifications, context);
    decided = {
      raised: raised.length,
      recovered: recovered.length,
      ended: ended.length,
      notified: mails.length,
    };
    return { records: [...raised, ...recovered, ...ended], mails };
  });
  return decided;
};
