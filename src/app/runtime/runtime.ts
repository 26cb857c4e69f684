import type { UnixMillis } from '../../core/index.ts';
import type { Config, ConfigFault } from '../../config/index.ts';
import type { Delivery } from '../../notify/index.ts';
import type { KeyServices } from '../keys/key-services.ts';
import type { Notifications } from '../notifications/notifications.ts';
import type { Requests } from './requests.ts';
import type { Runs } from './runs.ts';

/** What is built from one config. Another config gets another runtime over the same database. */
export type Runtime = AsyncDisposable &
  Runs &
  Requests &
  Pick<Delivery, 'routes' | 'deferUndeclared' | 'deliver'> & {
    readonly config: Config;
    /** Uses the journal that is open at the time of the call. @throws Fault `wrong-use` for an unknown account */
    readonly keyService: KeyServices['keyService'];
    readonly processRoute: Delivery['runCycle'];
    /** Deletes stored mails past their retention and reports files that are gone. */
    readonly cleanMail: () => Promise<void>;
    readonly holdsMail: (file: string) => Promise<boolean>;
    /** Does nothing without a mail server or recipients. */
    readonly mailsOf: Notifications['mailsOf'];
    /** Sends each key alert once; never throws. */
    readonly notifyOfKeys: Notifications['sendKeyAlert'];
    readonly remindOfAdminKeys: () => Promise<void>;
    readonly notifyConfigFaults: (faults: readonly ConfigFault[], at: UnixMillis) => Promise<void>;
  };
