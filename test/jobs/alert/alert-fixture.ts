import { mailFolder } from '../../../src/notify/index.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { simpleParser } from 'mailparser';
import {
  interval,
  noProgress,
  silentLog,
  unknownGateway,
  unixMillis,
  unixSeconds,
} from '../../../src/core/index.ts';
import { jobKinds, type JobContext, type JobOutcome } from '../../../src/jobs/index.ts';
import type { Budget } from '../../../src/monitoring/index.ts';
import type { Warehouse } from '../../../src/warehouse/index.ts';
import { openGatewayFixture } from '../../support/gateway-fixture.ts';
import { batchOf, openInMemory, testFolder } from '../../warehouse/support.ts';

export const at = (text: string) => unixSeconds(Date.parse(text) / 1000);

export { budgetOf, threshold } from '../../support/budget.ts';

export type Call = {
  readonly at: string;
  readonly model?: string;
  readonly key?: string;
  readonly charge: string;
};

export type AlertFixture = AsyncDisposable & {
  readonly warehouse: Warehouse;
  readonly context: JobContext;
  /** Lands a window with these calls, as a pull of it would. */
  readonly land: (from: string, to: string, calls: readonly Call[]) => Promise<void>;
  /** Evaluates the budgets in the slot; the call log must reach it exactly. */
  readonly evaluate: (
    slot: string,
    budgets: readonly Budget[],
    settings?: Readonly<Record<string, unknown>>,
    change?: Partial<JobContext>,
  ) => Promise<JobOutcome>;
  /** The mails in the outbox, oldest first. */
  readonly mails: () => Promise<
    readonly {
      readonly to: string;
      readonly subject: string;
      readonly text: string;
      readonly html: string;
      readonly messageId: string;
      readonly inReplyTo: string | undefined;
      readonly references: string | readonly string[] | undefined;
    }[]
  >;
};

/** A warehouse in memory whose call log the test lands, and the job kind alert over it. */
export const openAlertFixture = async (open: typeof openInMemory = openInMemory): Promise<AlertFixture> => {
  const gateway = await openGatewayFixture();
  const folder = await testFolder();
  const warehouse = await open(folder);
  const moment = unixMillis(Date.parse('2026-11-16T00:00:00Z'));
  const context: JobContext = {
    name: 'alerts',
    runId: 'alerts-1',
    slot: moment,
    interval: interval(moment, moment),
    trigger: 'schedule',
    account: { name: 'main', currency: 'USD', profile: unknownGateway, gateway: gateway.gateway },
    zone: 'UTC',
    locale: 'en',
    warehouse,
    spoolDirectory: folder.spool,
    reportDirectories: [],
    reports: { folder: join(folder.path, 'reports'), attachLimit: 1e7 },
    mail: { from: 'tollkeeper@example.com', mails: mailFolder(join(folder.path, 'outbox')) },
    clock: { ...gateway.clock, now: () => moment },
    log: silentLog,
    progress: noProgress,
    signal: new AbortController().signal,
  };
  const kind = jobKinds.find((one) => one.kind === 'alert');
  if (kind === undefined) throw new RangeError('no kind alert');
  return {
    warehouse,
    context,
    land: async (from, to, calls) => {
      const window = interval(at(from), at(to));
      await warehouse.logs.landWindow(
        await batchOf(
          folder,
          calls.map(
            ({ at: when, model = 'gpt-5', key = 'prod', charge }) =>
              `${at(when)},${model},${key},10,${charge}`,
          ),
          {
            window,
            asked: interval(unixSeconds(window.start - 1), window.end),
            amounts: { unitsPerCurrency: 500_000, decimalsWritten: true, form: 'currency' },
          },
        ),
      );
    },
    evaluate: async (slot, budgets, settings = {}, change = {}) => {
      const now = unixMillis(Date.parse(slot));
      return kind.run(await kind.shape.parseAsync({ lag: '0s', ...settings }), {
        ...context,
        slot: now,
        interval: interval(now, now),
        clock: { ...context.clock, now: () => now },
        costOwners: { teams: [], prices: [], operators: ['ops@example.com'], budgets },
        ...change,
      });
    },
    mails: async () =>
      Promise.all(
        (await warehouse.outbox.list()).map(async ({ recipient, file }) => {
          const parsed = await simpleParser(await readFile(join(folder.path, 'outbox', file)));
          return {
            to: recipient,
            subject: parsed.subject ?? '',
            text: parsed.text ?? '',
            html: parsed.html === false ? '' : parsed.html,
            messageId: parsed.messageId ?? '',
            inReplyTo: parsed.inReplyTo,
            references: parsed.references,
          };
        }),
      ),
    [Symbol.asyncDispose]: async () => {
      await warehouse[Symbol.asyncDispose]();
      await gateway[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
};
