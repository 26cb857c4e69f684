import { createSecretRegistry, fault, type Log, type Secret } from '../../../core/index.ts';
import { trustedContext } from '../../../http/index.ts';
import type { TokenSource } from './oauth2-token.ts';
import { readSmtpUrl, startTlsFor } from './smtp-server-address.ts';
import { openSession, type SmtpTimeouts } from './smtp-session.ts';
import type { MailSession, MailTransport } from './transport.ts';

export type SmtpOptions = {
  /** `smtp(s)://user:password@host:port`, user and password percent-encoded. */
  readonly url: Secret;
  /**
   * The name in the greeting (EHLO). The host name of a container has no dot; without this, the greeting then names 127.0.0.1,
   * which relays refuse.
   */
  readonly ehlo?: string | undefined;
  /** PEM texts of further trusted issuers. */
  readonly ca?: readonly string[] | undefined;
  readonly timeouts?: Partial<SmtpTimeouts>;
  readonly log: Log;
  /** Source of NODE_EXTRA_CA_CERTS when `ca` is given. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Refuses a server without STARTTLS in a private network, too. */
  readonly requireTls?: boolean | undefined;
  /** Sends mails unencrypted over any network, without STARTTLS; never with a login. */
  readonly insecure?: boolean | undefined;
  /** Logs in by XOAUTH2, as the user of the address. */
  readonly tokens?: TokenSource;
  /** Called before the final dot; a mail that is not confirmed is not completed. @throws Fault */
  readonly confirm?: (() => Promise<unknown>) | undefined;
  /** Removes further secrets from the server's replies. */
  readonly redact?: (text: string) => string;
};

const usual: SmtpTimeouts = { connect: 60_000, greeting: 60_000, idle: 300_000 };

/** Sends over SMTP with verified TLS; STARTTLS is required except in private networks. @throws Fault `mail-not-configured` */
export const createSmtpTransport = (options: SmtpOptions): MailTransport => {
  const address = readSmtpUrl(options.url.reveal());
  if (address === undefined)
    throw fault('mail-not-configured', 'mail.smtp is not the address of a mail server', {
      advice: 'write mail.smtp as smtp://user:password@host:port or smtps://…, the password by reference',
    });
  const secrets = createSecretRegistry();
  secrets.register(options.url.reveal());
  if (address.login !== undefined && address.login.password !== '') {
    const { user, password } = address.login;
    secrets.register(password);
    // A server may quote the AUTH PLAIN credentials.
    secrets.register(`\0${user}\0${password}`);
  }
  const where = `${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;
  const { redact = (text) => text } = options;
  const trusted = trustedContext(options.ca, options.env ?? {});
  const session = {
    address,
    ehlo: options.ehlo,
    startTls: startTlsFor(address, options),
    tokens: options.tokens,
    confirm: options.confirm,
    timeouts: { ...usual, ...options.timeouts },
    faultContext: { where, redact: (text: string) => secrets.redact(redact(text)) },
  };
  const opened = new Set<MailSession>();
  return {
    where,
    ehlo: options.ehlo,
    logsIn: address.login !== undefined,
    open: async (signal) => {
      const inner = await openSession({ ...session, secureContext: trusted() }, signal);
      options.log.debug('connected to the mail server', { server: where });
      const tracked: MailSession = {
        answer: inner.answer,
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
