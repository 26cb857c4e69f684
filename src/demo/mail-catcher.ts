import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** One mail as it came over the wire. */
export type CaughtMail = {
  /** Counted from 1. */
  readonly number: number;
  readonly recipients: readonly string[];
  /** Whether it came over TLS. */
  readonly secure: boolean;
  readonly bytes: Buffer;
};

export type MailCatcher = AsyncDisposable & { readonly port: number };

export type MailCatcherOptions = {
  /** A free port if omitted or 0. */
  readonly port?: number;
  /** A login that is required; without it, every client may send. */
  readonly login?: { readonly user: string; readonly password: string };
  /** PEM texts; with them STARTTLS is offered, and wanted before a login. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** The mail is answered for when this has come through. */
  readonly keep: (mail: CaughtMail) => Promise<void>;
};

/** A real SMTP server on loopback that accepts every mail and forwards none. */
export const startMailCatcher = async (options: MailCatcherOptions): Promise<MailCatcher> => {
  let caught = 0;
  const { login: required } = options;
  const server = new SMTPServer({
    authOptional: required === undefined,
    // It listens on loopback alone, where the mailer takes a plain connection.
    ...(options.tls ?? { disabledCommands: ['STARTTLS'], allowInsecureAuth: true }),
    logger: false,
    maxClients: 64,
    socketTimeout: 30_000,
    onAuth: (login, _session, done) => {
      const known =
        required === undefined || (login.username === required.user && login.password === required.password);
      if (known) done(null, { user: login.username });
      else done(new Error('wrong user or password'));
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => void chunks.push(chunk));
      stream.on('error', done);
      stream.on('end', () => {
        caught += 1;
        const recipients = session.envelope.rcptTo.map(({ address }) => address);
        const mail = { number: caught, recipients, secure: session.secure, bytes: Buffer.concat(chunks) };
        options.keep(mail).then(() => done(), done);
      });
    },
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  server.server.maxConnections = 64;
  // Whoever connects may be gone before it has said a word.
  server.on('error', () => undefined);
  const address = server.server.address() as AddressInfo;
  return {
    port: address.port,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
};
