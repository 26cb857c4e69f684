import { mailFolder, notify } from '../../src/notify/index.ts';
import { join } from 'node:path';
import { silentLog, type Clock } from '../../src/core/index.ts';
import { openWarehouse } from '../../src/warehouse/index.ts';

/** Queues one mail a recipient in the database below a folder, where no daemon runs. */
export const queueMails = async (folder: string, clock: Clock, to: readonly string[]): Promise<void> => {
  const data = join(folder, 'data');
  await using warehouse = await openWarehouse({
    path: join(data, 'tollkeeper.duckdb'),
    spoolDirectory: join(data, 'spool'),
    memoryLimit: '256MB',
    threads: 1,
    clock,
    log: silentLog,
  });
  await notify(
    { outbox: warehouse.outbox, mails: mailFolder(join(data, 'outbox')), clock },
    {
      key: { account: 'main', kind: 'report:daily-spend', subject: '2026-11-20T08:00:00.000Z' },
      from: 'Tollkeeper <reports@example.com>',
      to,
      subject: 'Spend',
      html: '<p>Spend</p>',
      text: 'Spend\n',
    },
  );
};
