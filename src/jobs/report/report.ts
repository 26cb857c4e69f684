import { z } from 'zod';
import {
  allowances,
  attachFormats,
  comparisonNames,
  createGate,
  csvDecimals,
  csvDelimiters,
  fault,
  isCsvForm,
  localeTags,
  tagNames,
  toMillis,
  type Progress,
} from '../../core/index.ts';
import {
  address,
  addresses,
  date,
  fieldNotes,
  jobMail,
  jobPost,
  positiveDuration,
  reportName,
  teamName,
  type KindFault,
  type RuledJob,
} from '../../config/index.ts';
import { comparisonFault, periodForms, periodShape, resolvePeriod } from '../../reports/index.ts';
import { outlineOf, prepareReport } from './compose-report.ts';
import type { PreparedReport } from './composed.ts';
import { defineJobKind, type JobContext } from '../job-kind.ts';
import { conditionsOf, sendWhen } from './sending/send-when.ts';
import { conditionsText, silentText } from './sending/sending-text.ts';
import { mailPart, outcomeOf } from './mail-parts.ts';
import { aloneFault, eachNames, isEach, mailedParts, remainderFault, totalsOf } from './recipients.ts';

/** Mail addresses, or one name of recipients that the data names. */
const recipients = z
  .array(z.union([z.enum(eachNames), address]))
  .min(1)
  .register(fieldNotes, {
    description: `a list of mail addresses, or one of ${eachNames.map((name) => `[${name}]`).join(' and ')}`,
  });

const patterns = z.array(z.string().min(1)).min(1).optional();

const shape = z.strictObject({
  report: reportName.describe('Name of a folder under reports/.'),
  period: periodShape(date)
    .register(fieldNotes, { description: `${periodForms}; or a map with \`from\` and \`to\`` })
    .optional()
    .describe(
      'Period of the report, in the time zone of the job: a name, a month (YYYY-MM), or dates as FROM..TO or as a map; `to` is the first day after the period. Defaults to the period in report.yaml, or else to yesterday.',
    ),
  comparison: z
    .enum(comparisonNames)
    .optional()
    .describe(
      'Period that the report is compared with. `same-weekday` and `7-day-average` are for periods of one day. Defaults to the comparison in report.yaml, or else to the same day of the week before for one day, and to the previous period for longer ones.',
    ),
  filters: z
    .strictObject({
      models: patterns.describe('Names of models; * matches any text.'),
      keys: patterns.describe('Names of API keys; * matches any text.'),
      teams: patterns.describe('Names of teams; * matches any text.'),
      tags: z
        .partialRecord(z.enum(tagNames), z.array(z.string().min(1)).min(1))
        .optional()
        .describe(
          'Values of tags, such as { environment: [production] }; * matches any text. Untagged keys match none.',
        ),
    })
    .optional()
    .describe('Restricts the report to a part of the account. All filters that are set must match.'),
  team: teamName.optional().describe('Restricts the report to one team.'),
  each_team: z
    .boolean()
    .default(false)
    .describe(
      'If true, builds one report per team, limited to its keys and sent to the recipients of the team. Spend without a team is reported to the recipients of the job, or else to mail.operators.',
    ),
  allow: z
    .union([z.enum(allowances), z.array(z.enum(allowances)).min(1)])
    .optional()
    .describe(
      'What is accepted; a list for several. unreconciled: a report that closes a month is closed and signed although its sums are not reconciled with the gateway; the report and the signed file say so. draft: a journal is built although its month is not closed; it says so.',
    ),
  csv: z
    .strictObject({
      delimiter: z
        .enum(csvDelimiters)
        .default(',')
        .describe('Character between two cells; "\\t" is a tabulator.'),
      decimal: z.enum(csvDecimals).default('.').describe('Decimal mark of numbers.'),
    })
    .refine(isCsvForm, { error: 'must have another delimiter than its decimal mark' })
    .optional()
    .describe(
      'How CSV files are written, such as { delimiter: ";", decimal: "," } for spreadsheets of continental Europe. Defaults to commas between cells and decimal points.',
    ),
  locale: z
    .enum(localeTags)
    .optional()
    .describe('Language of the report. Defaults to locale in tollkeeper.yaml.'),
  mail: jobMail
    .extend({
      to: recipients.describe(
        'Recipients: mail addresses; or [each_owner] or [each_cost_center], for one report per owner or cost center of the tags, limited to its keys and sent to owners.NAME.mail or cost_centers.NAME.mail.',
      ),
      remainder: addresses
        .optional()
        .describe(
          'With each_owner or each_cost_center: recipients of the report on all other keys. Defaults to mail.operators.',
        ),
      attach: z
        .array(z.enum(attachFormats))
        .default([])
        .describe(
          'Forms in which the report is attached to the mail: its data as csv, xlsx or parquet, or its pages as pdf.',
        ),
    })
    .optional()
    .describe('Recipients of the mail, and its attachments.'),
  send_when: sendWhen
    .optional()
    .describe(
      'When the report is sent; it is built and archived in any case. Defaults to always. `changed` compares a figure with the last report of the job that was sent. It is also sent if it is the first one, if a figure is unknown, if the currency is another one, if the verdict is not good, or if data is late.',
    ),
  at_least_every: positiveDuration
    .prefault('7d')
    .describe('With send_when: a report is also sent if the last one that was sent is this old.'),
  post: jobPost.optional().describe('Routes that receive the report in addition to mail, or in place of it.'),
});

/** A comparison for one day and a longer period. A period that only report.yaml sets is compared when the job is planned. */
const comparisonFaults = ({ kind, fields }: RuledJob): readonly KindFault[] => {
  const settings = kind === 'report' ? (fields as z.output<typeof shape> | undefined) : undefined;
  if (settings?.period === undefined) return [];
  const found = comparisonFault(settings.period, settings.comparison);
  return found === undefined
    ? []
    : [
        {
          path: ['comparison'],
          message: `does not fit the period: ${found.message}`,
          advice: found.advice ?? '',
        },
      ];
};

/** Recipients that the data names stand alone. */
const recipientFaults = ({ kind, fields }: RuledJob): readonly KindFault[] => {
  const settings = kind === 'report' ? (fields as z.output<typeof shape> | undefined) : undefined;
  const { mail, each_team: eachTeam = false, team } = settings ?? {};
  const named = mail?.to.find(isEach);
  const faultAt = (key: string, [message, advice]: readonly [string, string]): readonly KindFault[] => [
    { path: ['mail', key], message, advice },
  ];
  if (named === undefined) return mail?.remainder === undefined ? [] : faultAt('remainder', remainderFault);
  return mail?.to.length === 1 && !eachTeam && team === undefined ? [] : faultAt('to', aloneFault(named));
};

/** A report whose slots are farther apart than its longest silence is always sent. */
const sendingFaults = ({ kind, fields, longestSpace }: RuledJob): readonly KindFault[] => {
  const settings = kind === 'report' ? (fields as z.output<typeof shape> | undefined) : undefined;
  if (settings === undefined || conditionsOf(settings.send_when).length === 0) return [];
  const space = longestSpace();
  return space === undefined || space < settings.at_least_every
    ? []
    : [
        {
          path: ['send_when'],
          message: silentText(space, settings.at_least_every),
          advice: 'set at_least_every to a longer time, such as 31d',
        },
      ];
};

/** While the queries of one part run, the figures of another are read, and others are drawn and written. */
const partsAtOnce = 4;

/** Builds a report and enqueues its mail. The run succeeds once the mail is enqueued; the outbox sends it. */
export const reportKind = defineJobKind({
  kind: 'report',
  description: 'Builds a report from the warehouse and mails it.',
  shape,
  faults: (job) => [...comparisonFaults(job), ...recipientFaults(job), ...sendingFaults(job)],
  run: async (settings, context) => {
    if (context.mail === undefined)
      throw fault(
        'mail-not-configured',
        `job ${context.name} mails a report, and no mail server is declared`,
      );
    const parts = mailedParts(settings, context);
    let done = 0;
    const progressOf =
      (label = ''): Progress =>
      ({ step }) =>
        context.progress({
          step: 'building reports',
          done,
          total: parts.length,
          detail: `${label}: ${step}`,
        });
    let preparing: Promise<PreparedReport> | undefined;
    // On demand: a report that is kept already needs no gateway.
    const prepare = (shown: JobContext): Promise<PreparedReport> =>
      (preparing ??= prepareReport(settings, shown));
    const places = createGate(partsAtOnce);
    const mailed = await Promise.allSettled(
      parts.map((part) =>
        places(async () => {
          context.signal.throwIfAborted();
          const progress = parts.length === 1 ? context.progress : progressOf(part.label);
          return mailPart(settings, part, prepare, { ...context, progress }).finally(() => {
            done += 1;
          });
        }),
      ),
    );
    context.signal.throwIfAborted();
    // A failed team does not affect the mails of others; the next run sends the missing ones.
    const failed = mailed.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return outcomeOf(
      settings.report,
      mailed.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])),
    );
  },
  plan: async (settings, context) => {
    const { definition, period } = await outlineOf(settings, context);
    const { label, days, isAverage } = period.comparison;
    const compared =
      days.length === 0
        ? ''
        : `, compared with ${isAverage === true ? `the average of the days ${label}` : label}`;
    const conditions = conditionsOf(settings.send_when);
    const parts = mailedParts(settings, context);
    const isSplit = parts.some(({ label }) => label !== undefined);
    const totals = isSplit
      ? await totalsOf(parts, settings.filters ?? definition.parameters.filters, period, context)
      : [];
    return [
      `build ${settings.report} over ${period.label} (${context.zone})${compared}`,
      ...(conditions.length === 0 ? [] : [conditionsText(conditions, settings.at_least_every)]),
      ...parts.flatMap(({ label, to }, at) => {
        const what = label === undefined ? 'it' : `that of ${label}, with a spend of ${totals[at] ?? ''},`;
        return to.length === 0
          ? [`archive ${what} without recipients`]
          : to.map((recipient) => `mail ${what} to ${recipient}`);
      }),
    ];
  },
  mails: mailedParts,
  needsThrough: ({ period }, slot, zone) => {
    // The period of a report ends with yesterday at the latest, like `yesterday`.
    const end = toMillis(resolvePeriod(period ?? 'yesterday', slot, zone).interval.end);
    // A report on an open period covers it up to the slot.
    return end < slot ? end : slot;
  },
});
