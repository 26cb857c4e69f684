import type { Migration } from './migration.ts';

export const outboxTitle: Migration = {
  number: 15,
  name: 'subject lines of the outbox',
  statements: [
    // The subject line of the mail, or the title of the message: what people know it by.
    'ALTER TABLE outbox ADD COLUMN title VARCHAR',
  ],
};
