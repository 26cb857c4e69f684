import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { simpleParser } from 'mailparser';
import type { ParsedMail } from 'mailparser';
import { SMTPServer } from 'smtp-server';

export type TakenMail = {
  readonly recipients: readonly string[];
  /** Whether the mail came over TLS, and who had logged in. */
  readonly secure: boolean;
  readonly user: string | undefined;
  readonly bytes: Buffer;
  readonly parsed: ParsedMail;
};

export type MailServer = AsyncDisposable & {
  /** With user and password, as it goes into the config. */
  readonly url: string;
  /** Path of the certificate authority that signed the server's certificate. */
  readonly ca: string;
  readonly taken: readonly TakenMail[];
};

const fixture = (name: string): string => new URL(`../fixtures/tls/${name}`, import.meta.url).pathname;

/** A real SMTP server on loopback that wants STARTTLS and a login. */
export const openMailServer = async (): Promise<MailServer> => {
  const taken: TakenMail[] = [];
  const server = new SMTPServer({
    key: await readFile(fixture('localhost.key'), 'utf8'),
    cert: await readFile(fixture('localhost.pem'), 'utf8'),
    logger: false,
    onAuth: (login, _session, done) => {
      const good = login.username === 'tollkeeper' && login.password === 'open/sesame';
      if (good) done(null, { user: login.username });
      else done(new Error('no such user'));
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => void chunks.push(chunk));
      stream.on('error', done);
      stream.on('end', () => {
        const bytes = Buffer.concat(chunks);
        simpleParser(bytes).then((parsed) => {
          taken.push({
            recipients: session.envelope.rcptTo.map(({ address }) => address),
            secure: session.secure,
            user: typeof session.user === 'string' ? session.user : undefined,
            bytes,
            parsed,
          });
          done();
        }, done);
      });
    },
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://tollkeeper:open%2Fsesame@localhost:${port}`,
    ca: fixture('ca.pem'),
    taken,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
};
