import { mkdir, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';

export type CaughtMail = {
  readonly file: string;
  readonly recipients: readonly string[];
  readonly bytes: Buffer;
};

export type MailCatcher = AsyncDisposable & {
  readonly port: number;
  readonly caught: readonly CaughtMail[];
};

export type MailCatcherOptions = {
  /** Each mail is left here as it came over the wire. */
  readonly folder: string;
  readonly user: string;
  readonly password: string;
};

/** A real SMTP server on loopback that takes every mail of whoever logs in, and passes none on. */
export const startMailCatcher = async (options: MailCatcherOptions): Promise<MailCatcher> => {
  await mkdir(options.folder, { recursive: true });
  const caught: CaughtMail[] = [];
  const server = new SMTPServer({
    // It listens on loopback alone, where the mail room takes a plain connection.
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    logger: false,
    onAuth: (login, _session, done) => {
      const known = login.username === options.user && login.password === options.password;
      if (known) done(null, { user: login.username });
      else done(new Error('wrong user or password'));
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => void chunks.push(chunk));
      stream.on('error', done);
      stream.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const file = join(options.folder, `${String(caught.length + 1).padStart(2, '0')}.eml`);
        caught.push({ file, bytes, recipients: session.envelope.rcptTo.map(({ address }) => address) });
        writeFile(file, bytes).then(() => done(), done);
      });
    },
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.server.address() as AddressInfo;
  return {
    port: address.port,
    caught,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
};
