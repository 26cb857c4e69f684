import { z } from 'zod';
import { fault, isFault, localeTags, toMillis, unixMillis } from '../base/index.ts';
import { date, jobMail, reportName } from '../config/index.ts';
import { enqueue } from '../mail/index.ts';
import { periodNames, resolvePeriod } from '../report/index.ts';
import { composeReport, openReport } from './compose-report.ts';
import { defineJobKind } from './job-kind.ts';
import { count } from './words.ts';

const givenDays = z.strictObject({ from: date, to: date }).superRefine((days, context) => {
  // A date that is none has been told already.
  if (context.issues.length > 0) return;
  try {
    resolvePeriod(days, unixMillis(0), 'UTC');
  } catch (error) {
    if (!isFault(error)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
  }
});

const shape = z.strictObject({
  report: reportName.describe('A folder under reports/.'),
  period: z
    .union([z.enum(periodNames), givenDays])
    .default('yesterday')
    .describe(
      'Which days the report is about, in the zone of the job; `to` is the first day that no longer belongs to it.',
    ),
  locale: z
    .enum(localeTags)
    .optional()
    .describe('Language of the report; that of tollkeeper.yaml when left out.'),
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
        // A slot is mailed once, however often it is run.
        key: {
          account: account.name,
          kind: `report:${context.name}`,
          subject: new Date(context.slot).toISOString(),
        },
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
    const period = resolvePeriod(settings.period, context.slot, context.zone);
    return [
      `build ${settings.report} over ${period.label} (${context.zone}), compared with ${period.comparison.label}`,
      ...settings.mail.to.map((recipient) => `mail it to ${recipient}`),
    ];
  },
  needsThrough: ({ period }, slot, zone) => {
    const end = toMillis(resolvePeriod(period, slot, zone).interval.end);
    // A period that is not over yet is reported on as far as it goes.
    return end < slot ? end : slot;
  },
});
