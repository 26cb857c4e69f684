import type { UnixSeconds } from '../../core/index.ts';
import { decideAlerts } from '../../monitoring/index.ts';
import { localeOf } from '../../messages/index.ts';
import { prepare } from '../../notify/index.ts';
import { renderAlertEmail } from '../../reports/index.ts';
import type { OutboxEntry } from '../../storage/index.ts';
import { noCostOwners } from '../cost-owners.ts';
import type { JobContext } from '../job-kind.ts';
import type { AlertNotice, Evaluated, RuleContext } from './rule.ts';
import { alertRules } from './rules/registry.ts';

/** `notified` counts the messages that were enqueued, one for each recipient. */
export type Decided = {
  /** Of budgets. */
  readonly states: readonly string[];
  readonly raised: number;
  readonly recovered: number;
  readonly ended: number;
  readonly notified: number;
};

/** Renders the mails and stores their bytes. */
const mailsOf = async (
  notices: readonly AlertNotice[],
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
  for (const { id, topic, begins, to, ...message } of notices) {
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

const evaluate = async (settings: unknown, context: RuleContext): Promise<readonly Evaluated[]> => {
  const { account, warehouse } = context.job;
  const stored = await warehouse.alerts.statuses(account.name);
  const evaluated: Evaluated[] = [];
  for (const rule of alertRules) evaluated.push(await rule.evaluate(settings, stored, context));
  return evaluated;
};

/** Evaluates all rules, decides which alerts begin and end, and stores them together with their mails, then what was found. */
export const decide = async (settings: unknown, needed: UnixSeconds, job: JobContext): Promise<Decided> => {
  const { account, warehouse, clock, costOwners = noCostOwners } = job;
  const now = clock.now();
  const firing = (await warehouse.alerts.firing()).flatMap((one) =>
    one.account === account.name ? [one.alert] : [],
  );
  const context = {
    job,
    now,
    needed,
    firing: [...new Set(firing)],
    account: account.name,
    zone: job.zone,
    locale: localeOf(job.locale),
    operators: costOwners.operators,
  };
  const evaluated = await evaluate(settings, context);
  const conditions = evaluated.flatMap((one) => one.conditions);
  const alerts = [...new Set(conditions.map(({ alert }) => alert))];
  let counts = { raised: 0, recovered: 0, ended: 0, notified: 0 };
  await warehouse.alerts.decide(account.name, alerts, now, async ({ records, mutes }) => {
    const muted = new Set(mutes.map(({ alert }) => alert));
    const isMuted = (alert: string): boolean => muted.has(alert);
    const { raised, recovered, ended } = decideAlerts({ conditions, records, isMuted, now });
    const toNotify = { alert: raised, recovered: recovered.filter(({ alert }) => !isMuted(alert)) };
    const notices: AlertNotice[] = [];
    for (const event of ['alert', 'recovered'] as const)
      for (const rule of evaluated) {
        const own = new Set(rule.conditions.map(({ alert }) => alert));
        notices.push(
          ...(await rule.notices(
            event,
            toNotify[event].filter(({ alert }) => own.has(alert)),
          )),
        );
      }
    const mails = await mailsOf(notices, job);
    counts = {
      raised: raised.length,
      recovered: recovered.length,
      ended: ended.length,
      notified: mails.length,
    };
    return { records: [...raised, ...recovered, ...ended], mails };
  });
  await warehouse.alerts.putStatus(
    account.name,
    evaluated.flatMap(({ statuses }) => statuses),
    evaluated.flatMap(({ gone }) => gone),
  );
  return { states: evaluated.flatMap(({ rule, states }) => (rule === 'budget' ? states : [])), ...counts };
};
