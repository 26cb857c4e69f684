import { z } from 'zod';
import { fault, localeTags, toMillis } from '../base/index.ts';
import { date, fieldNotes, jobMail, jobPost, reportName, teamName } from '../config/index.ts';
import { comparisonNames, dataFormats, periodForms, periodShape, resolvePeriod } from '../report/index.ts';
import { outlineOf, prepareReport } from './compose-report.ts';
import type { PreparedReport } from './compose-report.ts';
import { defineJobKind } from './job-kind.ts';
import { mailPart, mailedParts, outcomeOf } from './mail-parts.ts';
import type { MailedPart } from './mail-parts.ts';

const patterns = z.array(z.string().min(1)).min(1).optional();

const shape = z.strictObject({
  report: reportName.describe('A folder under reports/.'),
  period: periodShape(date)
    .register(fieldNotes, { words: `${periodForms}; or a map with \`from\` and \`to\`` })
    .optional()
    .describe(
      'Which days the report is about, in the zone of the job: a name, a month as YYYY-MM, or dates as FROM..TO or a map; `to` is the first day that no longer belongs to it. What the report says when left out, or yesterday.',
    ),
  comparison: z
    .enum(comparisonNames)
    .optional()
    .describe('Which days it is compared with; what the report says when left out, or the ones before.'),
  filters: z
    .strictObject({
      models: patterns.describe('Names of models; * stands for anything.'),
      keys: patterns.describe('Names of API keys; * stands for anything.'),
      teams: patterns.describe('Names of teams; * stands for anything.'),
    })
    .optional()
    .describe('What of the account the report is about: all that is given must fit.'),
  team: teamName.optional().describe('The one team that the report is about.'),
  each_team: z
    .boolean()
    .default(false)
    .describe(
      'One report a team, about its keys alone, to the mail of the team; what no team pays for goes to the recipients of the job, or to mail.operators.',
    ),
  locale: z
    .enum(localeTags)
    .optional()
    .describe('Language of the report; that of tollkeeper.yaml when left out.'),
  mail: jobMail
    .extend({
      attach: z
        .array(z.enum(dataFormats))
        .default([])
        .describe('Files with the data of the report that the mail carries.'),
    })
    .optional()
    .describe('Who receives it, and with which files.'),
  post: jobPost.optional().describe('Routes that are told of it beside, or in place of, mail.'),
});

/** Builds a report and enqueues its mail; the run is good when the mail is enqueued, the outbox sends it. */
export const reportKind = defineJobKind({
  kind: 'report',
  description: 'Builds a report from the warehouse and mails it.',
  shape,
  run: async (settings, context) => {
    if (context.mail === undefined)
      throw fault(
        'mail-not-configured',
        `job ${context.name} mails a report, and no mail server is declared`,
      );
    const parts = mailedParts(settings, context);
    let preparing: Promise<PreparedReport> | undefined;
    // Not before a report is to be built: one that is kept already needs no gateway.
    const prepare = (): Promise<PreparedReport> => (preparing ??= prepareReport(settings, context));
    const sent: MailedPart[] = [];
    const failed: unknown[] = [];
    for (const part of parts) {
      context.signal.throwIfAborted();
      try {
        sent.push(await mailPart(settings, part, prepare, context));
      } catch (error) {
        // One team without its mail keeps no other from its own; run again, the run mails what is missing.
        failed.push(error);
      }
    }
    context.signal.throwIfAborted();
    if (failed.length > 0) throw failed[0];
    return outcomeOf(settings.report, sent);
  },
  plan: async (settings, context) => {
    const { period } = await outlineOf(settings, context);
    const compared = period.comparison.days.length === 0 ? '' : `, compared with ${period.comparison.label}`;
    return [
      `build ${settings.report} over ${period.label} (${context.zone})${compared}`,
      ...mailedParts(settings, context).flatMap(({ label, to }) =>
        to.map((recipient) => `mail ${label === undefined ? 'it' : `that of ${label}`} to ${recipient}`),
      ),
    ];
  },
  needsThrough: ({ period }, slot, zone) => {
    // What a report names by itself ends with yesterday at the latest, as `yesterday` does.
    const end = toMillis(resolvePeriod(period ?? 'yesterday', slot, zone).interval.end);
    // A period that is not over yet is reported on as far as it goes.
    return end < slot ? end : slot;
  },
});
