export { deliverDue, recoverInterrupted } from './deliver.ts';
export type { DeliverySummary } from './deliver.ts';
export { enqueue } from './enqueue.ts';
export type { Enqueued, Mail } from './enqueue.ts';
export { createSmtpTransport } from './smtp-transport.ts';
export type { SmtpOptions } from './smtp-transport.ts';
export type { MailTransport } from './transport.ts';
