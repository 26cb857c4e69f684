import { errorFields, type Log, type UnixMillis } from '../../core/index.ts';
import type { App } from '../compose.ts';

/** Milliseconds between two readings of all sinks. */
const sinksEvery = 86_400_000;

type Seen = { readonly sinksAt: UnixMillis; readonly inventory: UnixMillis | undefined };

/**
 * Compares journal, key list and sinks of each account at startup and daily, and journal and key list after each inventory.
 * A failing gateway does not delay other accounts.
 */
export const createInspections = (app: App, now: () => UnixMillis, log: Log) => {
  const seen = new Map<string, Seen>();
  return async (signal: AbortSignal): Promise<void> => {
    using runtime = app.lease();
    if ((await app.keyProblem()) !== undefined) return;
    for (const account of Object.keys(runtime.config.settings.accounts)) {
      const last = seen.get(account);
      const inventory = await app.warehouse.snapshots.watermark(account);
      const sinks = last === undefined || now() - last.sinksAt >= sinksEvery || now() < last.sinksAt;
      if (!sinks && last.inventory === inventory) continue;
      try {
        await (await runtime.keyService(account)).inspect({ sinks }, signal);
        seen.set(account, { sinksAt: sinks ? now() : last.sinksAt, inventory });
      } catch (error) {
        signal.throwIfAborted();
        log.warn('the key journal could not be compared with the gateway and the sinks', {
          account,
          ...errorFields(error),
        });
      }
    }
  };
};
