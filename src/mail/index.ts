export { deliverDue, recoverInterrupted } from './deliver.ts';
export type { DeliveryMeans, DeliverySummary } from './deliver.ts';
export { enqueue } from './enqueue.ts';
export type { Enqueued, EnqueueMeans, Mail, MailKey } from './enqueue.ts';
export type { Attachment, InlineImage, MailContent } from './message.ts';
export type { MailState, Outbox, OutboxEntry, OutboxOutcome, OutboxRow } from './outbox.ts';
export { createSmtpTransport } from './smtp-transport.ts';
export type { SmtpOptions } from './smtp-transport.ts';
export type { Envelope, MailSession, MailTransport, SendOutcome } from './transport.ts';
