import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noProgress, type Deps, type Log, type UnixSeconds } from '../../core/index.ts';
import type { Account } from '../../config/index.ts';
import type { JobAccount } from '../../jobs/index.ts';
import { logPullDeps, pullLogs } from '../../ingest/index.ts';
import { openWarehouse, type Warehouse } from '../../warehouse/index.ts';

type RecentLogDeps = {
  readonly deps: Pick<Deps, 'clock' | 'env'>;
  readonly log: Log;
  readonly account: JobAccount;
  readonly settings: Account['gateway'] | undefined;
  readonly signal: AbortSignal;
};

export type RecentLog = AsyncDisposable & {
  readonly warehouse: Warehouse;
  /** Pulls the call log again for these seconds of the gateway's clock. */
  readonly pull: (start: UnixSeconds, until: UnixSeconds) => Promise<void>;
};

/** Keeps a part of the call log in memory: the stored log and its watermark stay unchanged. */
export const openRecentLog = async ({
  deps,
  log,
  account,
  settings,
  signal,
}: RecentLogDeps): Promise<RecentLog> => {
  const folder = await mkdtemp(join(deps.env['TMPDIR'] ?? tmpdir(), 'tollkeeper-log-'));
  const remove = async (): Promise<void> => rm(folder, { recursive: true, force: true });
  const spoolDirectory = join(folder, 'spool');
  const warehouse = await openWarehouse({
    path: ':memory:',
    memoryLimit: '256MB',
    threads: 1,
    spoolDirectory,
    clock: deps.clock,
    log,
  }).catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  const { name, currency, profile } = account;
  const context = {
    account,
    warehouse,
    spoolDirectory,
    clock: deps.clock,
    log,
    progress: noProgress,
    signal,
  };
  return {
    warehouse,
    pull: async (start, until) => {
      await warehouse.tokens.configure(
        name,
        settings?.token_convention ?? {},
        settings?.output_convention ?? {},
      );
      await pullLogs({
        ...logPullDeps(context),
        account: name,
        since: start,
        until,
        from: start,
        to: until,
        windowSeconds: 86_400,
        columns: 'detailed',
        currency,
        profile,
      });
    },
    [Symbol.asyncDispose]: async () => {
      await warehouse[Symbol.asyncDispose]();
      await remove();
    },
  };
};
