export { createDelivery, recoverInterrupted } from './deliver.ts';
export type { Delivery } from './deliver.ts';
export { enqueue } from './enqueue.ts';
export type { Enqueued, Mail } from './enqueue.ts';
export type { DeliverySummary } from './lane.ts';
export { createMailRoute } from './mail-route.ts';
export { createSmtpTransport } from './smtp-transport.ts';
export type { SmtpOptions } from './smtp-transport.ts';
export type { MailTransport } from './transport.ts';
