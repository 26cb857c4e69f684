import { createSecretRegistry, fault } from '../base/index.ts';
import type { Log, Secret } from '../base/index.ts';
import { trustedIssuers } from '../net/index.ts';
import { readSmtpUrl } from './smtp-server-address.ts';
import { openSession } from './smtp-session.ts';
import type { SmtpTimeouts } from './smtp-session.ts';
import type { MailSession, MailTransport } from './transport.ts';

export type SmtpOptions = {
  /** `smtp(s)://user:password@host:port`, user and password percent-encoded. */
  readonly url: Secret;
  /** PEM texts of further issuers to trust. */
  readonly ca?: readonly string[];
  readonly timeouts?: Partial<SmtpTimeouts>;
  readonly log: Log;
  /** Where NODE_EXTRA_CA_CERTS is looked up when `ca` is given. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Whether a server that offers no STARTTLS is refused; everywhere but on loopback when left out. */
  readonly requireTls?: boolean;
};

const usual: SmtpTimeouts = { connect: 60_000, greeting: 60_000, idle: 300_000 };

/** Sends over SMTP: TLS verified, STARTTLS required but on loopback. @throws Fault `mail-not-configured` */
export const createSmtpTransport = (options: SmtpOptions): MailTransport => {
  const address = readSmtpUrl(options.url.reveal());
  if (address === undefined)
    throw fault('mail-not-configured', 'mail.smtp is no address of a mail server', {
      advice: 'write mail.smtp as smtp://user:password@host:port or smtps://…, the password by reference',
    });
  const secrets = createSecretRegistry();
  secrets.register(options.url.reveal());
  if (address.login !== undefined && address.login.password !== '') {
    const { user, password } = address.login;
    secrets.register(password);
    // What AUTH PLAIN puts on the wire, should a server quote it.
    secrets.register(`\0${user}\0${password}`);
  }
  const where = `${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;
  const session = {
    address,
    requireTls: options.requireTls ?? address.needsStartTls,
    issuers: trustedIssuers(options.ca, options.env ?? {}),
    timeouts: { ...usual, ...options.timeouts },
    telling: { where, redact: secrets.redact },
  };
  const opened = new Set<MailSession>();
  return {
    where,
    open: async (signal) => {
      const inner = await openSession(session, signal);
      options.log.debug('connected to the mail server', { server: where });
      const tracked: MailSession = {
        send: inner.send,
        close: () => {
          opened.delete(tracked);
          inner.close();
        },
      };
      opened.add(tracked);
      return tracked;
    },
    [Symbol.asyncDispose]: () => {
      for (const one of opened) one.close();
      return Promise.resolve();
    },
  };
};
