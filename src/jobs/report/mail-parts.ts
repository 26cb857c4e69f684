import type { z } from 'zod';
import { fault, countText, sum, type AttachFormat } from '../../core/index.ts';
import { notify } from '../../notify/index.ts';
import { closeMonth } from './close-month.ts';
import type { ComposedReport, PreparedReport, ReportRequest } from './composed.ts';
import type { JobContext, JobOutcome } from '../job-kind.ts';
import { keepReport } from './keep-report.ts';
import type { Recipients, ReportPart } from './recipients.ts';
import { conditionsOf, type sendWhen } from './sending/send-when.ts';
import { sendingText } from './sending/sending-text.ts';
import { noteMails } from './archive/note-mails.ts';

export type MailedPart = {
  readonly subject: string;
  readonly queued: number;
  readonly known: number;
  /** Why it is not sent. */
  readonly notSent?: string;
};

type MailedReport = ReportRequest &
  Recipients & {
    readonly send_when?: z.output<typeof sendWhen> | undefined;
    readonly at_least_every: number;
    readonly mail?: { readonly attach: readonly AttachFormat[] } | undefined;
  };

export const mailPart = async (
  settings: MailedReport,
  { team, tagged, label, part, to, recipients }: ReportPart,
  prepare: (context: JobContext) => Promise<PreparedReport>,
  context: JobContext,
): Promise<MailedPart> => {
  const { mail, account, warehouse, clock, progress } = context;
  if (mail === undefined) throw fault('mail-not-configured', 'no mail server is configured');
  const compose = async (): Promise<ComposedReport> => {
    const composed = await (await prepare(context)).compose({ team, tagged }, progress);
    for (const { message, advice } of composed.model.warnings)
      context.log.warn(`${settings.report}: ${message}`, { advice });
    await closeMonth(composed, context);
    return composed;
  };
  const attach = settings.mail?.attach ?? [];
  const send = { conditions: conditionsOf(settings.send_when), atLeastEvery: settings.at_least_every };
  const kept = await keepReport(settings, compose, { attach, recipients, part, send }, context);
  const { sending, subject } = kept.manifest;
  if (sending?.sent === false)
    return { subject, queued: 0, known: 0, notSent: sendingText(sending, context.zone) };
  const { manifest, html, text, images, attachments, announcement } = kept;
  progress({ step: 'enqueueing mail', total: to.length });
  const slot = new Date(context.slot).toISOString();
  // A slot is mailed once per part, however often it runs.
  const key = {
    account: account.name,
    kind: `report:${context.name}`,
    subject: label === undefined ? slot : `${slot} ${label}`,
  };
  const enqueued = await notify(
    { outbox: warehouse.outbox, clock, ...mail },
    { key, from: mail.from, to, subject: manifest.subject, html, text, images, attachments },
    announcement,
  );
  await noteMails({ job: context.name, slot: context.slot, part }, key, { ...context, mail });
  const queued = enqueued.filter(({ state }) => state === 'queued').length;
  return { subject: manifest.subject, queued, known: enqueued.length - queued };
};

export const outcomeOf = (report: string, parts: readonly MailedPart[]): JobOutcome => {
  const queued = sum(parts.map((part) => part.queued));
  const known = sum(parts.map((part) => part.known));
  const before = known === 0 ? '' : `; ${countText(known, 'mail')} already queued`;
  const subject = parts[0]?.subject ?? '';
  const [left] = parts.flatMap(({ notSent }) => notSent ?? []);
  const leftCount = parts.filter(({ notSent }) => notSent !== undefined).length;
  const figures = { report, mails: queued, subject, ...(leftCount === 0 ? {} : { notSent: leftCount }) };
  if (left !== undefined && parts.length === 1) return { summary: `“${subject}” ${left}`, figures };
  const what = parts.length === 1 ? `“${subject}”` : `${parts.length} reports, first “${subject}”,`;
  return {
    summary: `${what} enqueued for ${countText(queued, 'recipient')}${before}${leftCount === 0 ? '' : `; ${leftCount} not sent`}`,
    figures,
  };
};
