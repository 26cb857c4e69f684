import { fault, isFault, messageOf, type Fault } from '../../../core/index.ts';
import { mailRouteName, type OutboxRoute, type Rate } from '../../route.ts';
import type { MailSession, MailTransport } from './transport.ts';

const asFault = (error: unknown): Fault =>
  isFault(error) ? error : fault('mail-unreachable', messageOf(error), { cause: error });

/** Keeps one connection while it works, and reconnects after any failure. */
export const createMailRoute = (transport: MailTransport, rate?: Rate): OutboxRoute => ({
  name: mailRouteName,
  rate,
  begin: () => {
    let session: MailSession | undefined;
    const close = (): void => {
      session?.close();
      session = undefined;
    };
    return {
      close,
      send: async (row, bytes, signal) => {
        try {
          session ??= await transport.open(signal);
        } catch (error) {
          return { state: 'deferred', fault: asFault(error), closed: true };
        }
        const outcome = await session.send({ from: row.sender, to: row.recipient }, bytes, signal);
        if (outcome.state !== 'sent') close();
        return outcome;
      },
    };
  },
});
