import type { SecureContext } from 'node:tls';
import { Readable } from 'node:stream';
import type { NodemailerError } from 'nodemailer';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import { fault, messageOf, type Fault } from '../../../core/index.ts';
import type { TokenSource } from './oauth2-token.ts';
import { connectionFault, quoteServer, sendingFault, type FaultContext } from './smtp-faults.ts';
import { logIn } from './smtp-login.ts';
import type { SmtpServerAddress, StartTls } from './smtp-server-address.ts';
import type { MailSession } from './transport.ts';
import { domainToASCII } from 'node:url';

/** The domain in ASCII (`xn--…`), which every server accepts. The local part has no such form. */
const wireAddress = (address: string): string => {
  const at = address.lastIndexOf('@');
  const domain = domainToASCII(address.slice(at + 1));
  return at < 0 || domain === '' ? address : `${address.slice(0, at)}@${domain}`;
};

/** Milliseconds. */
export type SmtpTimeouts = {
  /** Until the connection is established. */
  readonly connect: number;
  /** Until the server's greeting. */
  readonly greeting: number;
  /** Without a byte from the server; RFC 5321 4.5.3.2 requires minutes. */
  readonly idle: number;
};

export type SessionOptions = {
  readonly address: SmtpServerAddress;
  /** The name of this machine in the greeting. */
  readonly ehlo: string | undefined;
  readonly startTls: StartTls;
  /** Logs in by XOAUTH2, as the user of the address. */
  readonly tokens: TokenSource | undefined;
  /** Trusts further issuers beside the default ones. */
  readonly secureContext: SecureContext | undefined;
  readonly timeouts: SmtpTimeouts;
  readonly faultContext: FaultContext;
  readonly confirm: (() => Promise<unknown>) | undefined;
};

type Step = (done: (error?: NodemailerError | null) => void) => void;

/** Runs one step of the connection setup; an error event or an abort ends it, too. */
const step = (
  connection: SMTPConnection,
  run: Step,
  faultContext: FaultContext,
  signal?: AbortSignal,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const settle = (end: () => void): void => {
      signal?.removeEventListener('abort', onAbort);
      connection.removeListener('error', onError);
      end();
    };
    const fail = (error: unknown): void => {
      settle(() => reject(error));
      connection.close();
    };
    const onError = (error: NodemailerError): void => fail(connectionFault(error, faultContext));
    const onAbort = (): void =>
      fail(
        fault('aborted', `the connection to ${faultContext.where} was aborted`, { cause: signal?.reason }),
      );
    signal?.addEventListener('abort', onAbort, { once: true });
    connection.once('error', onError);
    if (signal?.aborted === true) onAbort();
    else run((error) => (error ? onError(error) : settle(resolve)));
  });

/** Tracks whether the last byte was sent: from then on a broken connection leaves the outcome unknown. */
const tracked = (
  bytes: Buffer,
  confirm: () => Promise<unknown>,
): { readonly stream: Readable; readonly isTransmitted: () => boolean } => {
  const chunk = 16_384;
  let ended = false;
  const chunks = async function* () {
    for (let offset = 0; offset < bytes.length; offset += chunk) yield bytes.subarray(offset, offset + chunk);
    await confirm();
    ended = true;
  };
  const stream = Readable.from(chunks(), { objectMode: false });
  return { stream, isTransmitted: () => ended };
};

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

const unwritableAddress = (address: string, where: string): Fault =>
  fault(
    'mail-address-refused',
    `${where} does not accept addresses with non-ASCII characters before the @ (no SMTPUTF8): ${address}`,
  );

/** Connects, upgrades to TLS and logs in. @throws Fault */
export const openSession = async (options: SessionOptions, signal?: AbortSignal): Promise<MailSession> => {
  const { address, faultContext, timeouts } = options;
  const { default: Connection } = await import('nodemailer/lib/smtp-connection');
  const connection = new Connection({
    host: address.host,
    port: address.port,
    ...(options.ehlo === undefined ? {} : { name: options.ehlo }),
    secure: address.implicitTls,
    requireTLS: options.startTls === 'required',
    ignoreTLS: options.startTls === 'never',
    connectionTimeout: timeouts.connect,
    greetingTimeout: timeouts.greeting,
    socketTimeout: timeouts.idle,
    tls: {
      minVersion: 'TLSv1.2',
      rejectUnauthorized: true,
      ...(options.secureContext === undefined ? {} : { secureContext: options.secureContext }),
    },
  });
  // An unhandled error event would end the process; the next step detects the closed connection.
  connection.on('error', () => undefined);
  await step(connection, (done) => connection.connect(done), faultContext, signal);
  const greeted = connection.lastServerResponse || '';
  const takesUtf8 = /[ -]SMTPUTF8\b/im.test(greeted);
  await logIn({ address, tokens: options.tokens, signal }, (auth) =>
    step(connection, (done) => connection.login(auth, done), faultContext, signal),
  );
  return {
    answer: quoteServer(greeted.split('\n')[0], faultContext.redact).slice(2),
    send: (envelope, bytes, aborted) =>
      new Promise((resolve) => {
        const wire = { from: wireAddress(envelope.from), to: wireAddress(envelope.to) };
        const foreign = [wire.to, wire.from].find((address) => !isAscii(address));
        if (foreign !== undefined && !takesUtf8) {
          resolve({ state: 'failed', fault: unwritableAddress(foreign, faultContext.where) });
          return;
        }
        const stop = (why = '', cause?: unknown): void => {
          connection.close();
          const stopped = `the mail to ${envelope.to} was stopped before it was transmitted${why}`;
          resolve({ state: 'deferred', fault: fault('aborted', stopped, { cause }) });
        };
        const message = tracked(bytes, async () =>
          options.confirm?.().catch((error: unknown) => {
            stop(`: ${messageOf(error)}`, error);
            throw error;
          }),
        );
        const onAbort = (): void => {
          if (!message.isTransmitted()) stop();
        };
        aborted?.addEventListener('abort', onAbort, { once: true });
        connection.send({ ...wire, size: bytes.length }, message.stream, (error, info) => {
          aborted?.removeEventListener('abort', onAbort);
          resolve(
            error === null || error === undefined
              ? { state: 'sent', response: quoteServer(info.response, faultContext.redact).slice(2) }
              : sendingFault(error, message.isTransmitted(), envelope.to, faultContext),
          );
        });
      }),
    close: () => {
      connection.quit();
      connection.close();
    },
  };
};
