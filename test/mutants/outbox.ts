import { mutant, type Mutant } from './mutant.ts';

export const outboxMutants: readonly Mutant[] = [
  mutant(
    'a message that is being sent is claimed again',
    'storage/outbox',
    'storage/outbox-table.ts',
    'WHERE id = $id AND ${isDue} RETURNING *`',
    'WHERE id = $id RETURNING *`',
  ),
  mutant(
    'a message that was sent changes its state',
    'storage/outbox',
    'storage/outbox-table.ts',
    "WHERE id = $id AND state NOT IN ('sent', 'dropped')`",
    'WHERE id = $id`',
  ),
  mutant(
    'a decision is stored although another one was stored meanwhile',
    'jobs/alert/alert',
    'warehouse/decide-and-store.ts',
    'if (!isDeepStrictEqual(await read(connection), state)) return false;',
    'void isDeepStrictEqual;',
  ),
  mutant(
    'an interrupted message is queued as if it had not been sent',
    'notify/warehouse-outbox',
    'notify/deliver.ts',
    "await settleAttempt(row, { state: 'unknown', fault",
    "await settleAttempt(row, { state: 'deferred', fault",
  ),
  mutant(
    'one mailbox in two spellings gets two mails',
    'notify/enqueue',
    'notify/mail-drafts.ts',
    'const key = one.address.toLowerCase();',
    'const key = one.address;',
  ),
  mutant(
    'the file of a message that is known is left behind',
    'notify/enqueue',
    'notify/draft.ts',
    'if (known.has(draft.recipient)) continue;',
    'if (known.size < 0) continue;',
  ),
];
