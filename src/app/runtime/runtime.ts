import type { Config } from '../../config/index.ts';
import type { Delivery } from '../../notify/index.ts';
import type { KeyServices } from '../keys/key-services.ts';
import type { Notifications } from '../notifications/notifications.ts';
import type { Requests } from './requests.ts';
import type { Runs } from './runs.ts';

/** What is built from one config. Another config gets another runtime over the same database. */
export type Runtime = AsyncDisposable &
  Runs &
  Requests & {
    readonly config: Config;
    /** Uses the journal that is open at the time of the call. @throws Fault `wrong-use` for an unknown account */
    readonly keyService: KeyServices['keyService'];
    readonly delivery: Delivery;
    readonly notifications: Notifications;
    /** Deletes stored mails past their retention and reports files that are gone. */
    readonly cleanMail: () => Promise<void>;
    readonly holdsMail: (file: string) => Promise<boolean>;
  };

/** A runtime in use. It stays open until the lease is disposed, even if another config is adopted meanwhile. */
export type RuntimeLease = Omit<Runtime, typeof Symbol.asyncDispose> & Disposable;

export type RuntimeLeases = AsyncDisposable & {
  readonly config: () => Config;
  readonly lease: () => RuntimeLease;
  /** New leases get this runtime; the previous one closes with its last lease. */
  readonly replace: (runtime: Runtime) => void;
};

type Leased = { readonly runtime: Runtime; users: number };

export const createRuntimeLeases = (first: Runtime): RuntimeLeases => {
  let current: Leased = { runtime: first, users: 0 };
  const retiring = new Set<Leased>();
  const closing = new Set<Promise<void>>();
  const close = (leased: Leased): void => {
    retiring.delete(leased);
    closing.add(Promise.resolve(leased.runtime[Symbol.asyncDispose]()));
  };
  return {
    config: () => current.runtime.config,
    lease: () => {
      const leased = current;
      // A lease must not close the runtime itself.
      const { [Symbol.asyncDispose]: _close, ...runtime } = leased.runtime;
      let isOver = false;
      leased.users += 1;
      return {
        ...runtime,
        [Symbol.dispose]: () => {
          if (isOver) return;
          isOver = true;
          leased.users -= 1;
          if (leased.users === 0 && retiring.has(leased)) close(leased);
        },
      };
    },
    replace: (runtime) => {
      const before = current;
      current = { runtime, users: 0 };
      retiring.add(before);
      if (before.users === 0) close(before);
    },
    [Symbol.asyncDispose]: async () => {
      for (const leased of retiring) close(leased);
      await Promise.all(closing);
      await current.runtime[Symbol.asyncDispose]();
    },
  };
};
