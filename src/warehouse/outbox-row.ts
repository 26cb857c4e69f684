import type { OutboxRow, OutboxState } from '../storage/index.ts';
import { all, label, millis, optional, rowReader } from './row-reader.ts';
import { text, wholeNumber, type Row } from './rows.ts';

const outboxRow = rowReader({
  ...all(text, 'id', 'account', 'kind', 'subject', 'recipient', 'sender', 'messageId', 'file', 'route'),
  state: label<OutboxState>(),
  ...all(wholeNumber, 'attempts', 'doubts'),
  ...all(millis, 'queuedAt', 'nextAttempt', 'changedAt'),
  triedFrom: optional(millis),
  ...all(optional(text), 'title', 'lastError'),
});

export const outboxRowOf = (row: Row): OutboxRow => {
  const values = outboxRow(row);
  return { ...values, triedFrom: values.triedFrom ?? values.queuedAt };
};
