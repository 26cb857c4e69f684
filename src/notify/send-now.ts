import type { Clock } from '../core/index.ts';
import type { MailTransport } from './channels/smtp/transport.ts';
import { mailDrafts, type Mail } from './mail-drafts.ts';
import type { MessageDefaults } from './message-defaults.ts';

type SendDeps = {
  readonly transport: MailTransport;
  readonly messageDefaults: MessageDefaults;
  readonly clock: Clock;
};

/**
 * Sends a mail once, outside the outbox, and returns what the server answered to each recipient.
 * @throws Fault `mail-address-invalid`, and those of the mail group of the catalogue
 */
export const sendNow = async (
  { transport, messageDefaults, clock }: SendDeps,
  mail: Mail,
  signal: AbortSignal,
): Promise<readonly { readonly recipient: string; readonly response: string }[]> => {
  const drafts = mailDrafts(mail, clock.now(), messageDefaults);
  const session = await transport.open(signal);
  try {
    const sent = [];
    for (const { sender, recipient, render } of drafts) {
      const outcome = await session.send(
        { from: sender, to: recipient },
        Buffer.from(await render([])),
        signal,
      );
      if (outcome.state !== 'sent') throw outcome.fault;
      sent.push({ recipient, response: outcome.response });
    }
    return sent;
  } finally {
    session.close();
  }
};
