import { z } from 'zod';
import { fault } from '../base/index.ts';
import { date, jobMail, reportName } from '../config/index.ts';
import { enqueue } from '../mail/index.ts';
import { periodNames, resolvePeriod } from '../report/index.ts';
import { composeReport, openReport } from './compose-report.ts';
import { defineJobKind } from './job-kind.ts';
import { count } from './words.ts';

const shape = z.strictObject({
  report: reportName.describe('A folder under reports/.'),
  period: z
    .union([z.enum(periodNames), z.strictObject({ from: date, to: date })])
    .default('yesterday')
    .describe(
      'Which days the report is about, in the zone of the job; `to` is the first day that no longer belongs to it.',
    ),
  mail: jobMail.describe('Who receives it.'),
});

/** Builds a report and enqueues its mail; the run is good when the mail is enqueued, the outbox sends it. */
export const reportKind = defineJobKind({
  kind: 'report',
  description: 'Builds a report from the warehouse and mails it.',
  shape,
  run: async (settings, context) => {
    const { mail, account, warehouse, clock, progress } = context;
    if (mail === undefined)
      throw fault(
        'mail-not-configured',
        `job ${context.name} mails a report, and no mail server is declared`,
      );
    const { rendered } = await composeReport(settings, context);
    progress({ step: 'enqueueing mail', total: settings.mail.to.length });
    const enqueued = await enqueue(
      { outbox: warehouse.outbox, folder: mail.folder, clock },
      {
        key: { account: account.name, kind: `report:${context.name}`, subject: context.runId },
        from: mail.from,
        to: settings.mail.to,
        ...rendered,
      },
    );
    const queued = enqueued.filter(({ state }) => state === 'queued').length;
    const known = enqueued.length - queued;
    const before = known === 0 ? '' : `; ${count(known, 'mail')} of it queued before`;
    return {
      summary: `“${rendered.subject}” enqueued for ${count(queued, 'recipient')}${before}`,
      figures: { report: settings.report, mails: queued, subject: rendered.subject },
    };
  },
  plan: async (settings, context) => {
    await openReport(settings.report, context.reportDirectories);
    const period = resolvePeriod(settings.period, context.clock.now(), context.zone);
    return [
      `build ${settings.report} over ${period.label} (${context.zone}), compared with ${period.comparison.label}`,
      ...settings.mail.to.map((recipient) => `mail it to ${recipient}`),
    ];
  },
});
