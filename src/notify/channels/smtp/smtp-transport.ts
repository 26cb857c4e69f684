import { createSecretRegistry, fault, type Log, type Secret } from '../../../core/index.ts';
import { trustedContext } from '../../../http/index.ts';
import type { TokenSource } from './oauth2-token.ts';
import { readSmtpUrl, startTlsFor } from './smtp-server-address.ts';
import { openSession, type SmtpTimeouts } from './smtp-session.ts';
import type { MailSession, MailTransport } from './transport.ts';

export type SmtpOptions = {
  /** `smtp(s)://user:password@host:port`, user and password percent-encoded. */
  readonly url: Secret;
  /** PEM texts of further issuers to trust. */
  readonly ca?: readonly string[] | undefined;
  readonly timeouts?: Partial<SmtpTimeouts>;
  readonly log: Log;
  /** Where NODE_EXTRA_CA_CERTS is looked up when `ca` is given. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Whether a server that offers no STARTTLS is refused also where it might do without: in one's own network. */
  readonly requireTls?: boolean | undefined;
  /** Whether mails may cross any network in the open, STARTTLS left alone; with a login they never do. */
  readonly insecure?: boolean | undefined;
  /** Logs in by XOAUTH2 with its tokens, as the user in the address. */
  readonly tokens?: TokenSource;
  /** Takes secrets beyond those of `url` out of the server's words. */
  readonly redact?: (text: string) => string;
};

const usual: SmtpTimeouts = { connect: 60_000, greeting: 60_000, idle: 300_000 };

/** Sends over SMTP: TLS verified, STARTTLS required but for relays in one's own network. @throws Fault `mail-not-configured` */
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
    // What AUTH PLAIN puts on the wire, should a server quote it.
    secrets.register(`\0${user}\0${password}`);
  }
  const where = `${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;
  const { redact = (text) => text } = options;
  const trusted = trustedContext(options.ca, options.env ?? {});
  const session = {
    address,
    startTls: startTlsFor(address, options),
    tokens: options.tokens,
    timeouts: { ...usual, ...options.timeouts },
    faultContext: { where, redact: (text: string) => secrets.redact(redact(text)) },
  };
  const opened = new Set<MailSession>();
  return {
    where,
    logsIn: address.login !== undefined,
    open: async (signal) => {
      const inner = await openSession({ ...session, secureContext: trusted() }, signal);
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
