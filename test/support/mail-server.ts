import { readFile } from 'node:fs/promises';
import { simpleParser, type ParsedMail } from 'mailparser';
import { watchOutput, watchSecret } from './secret-watch.ts';
import { startMailCatcher, type CaughtMail } from '../../src/demo/mail-catcher.ts';

export type TakenMail = CaughtMail & { readonly parsed: ParsedMail };

export type MailServer = AsyncDisposable & {
  /** With user and password, as it goes into the config. */
  readonly url: string;
  /** Path of the certificate authority that signed the server's certificate. */
  readonly ca: string;
  readonly taken: readonly TakenMail[];
};

const password = 'open/sesame';

const fixture = (name: string): string => new URL(`../fixtures/tls/${name}`, import.meta.url).pathname;

/** A real SMTP server on loopback that wants STARTTLS and a login before it takes a mail. */
export const openMailServer = async (): Promise<MailServer> => {
  const taken: TakenMail[] = [];
  watchSecret(password);
  const catcher = await startMailCatcher({
    login: { user: 'tollkeeper', password },
    tls: {
      key: await readFile(fixture('localhost.key'), 'utf8'),
      cert: await readFile(fixture('localhost.pem'), 'utf8'),
    },
    keep: async (mail) => {
      watchOutput('a mail', mail.bytes);
      taken.push({ ...mail, parsed: await simpleParser(mail.bytes) });
    },
  });
  return {
    url: `smtp://tollkeeper:${encodeURIComponent(password)}@localhost:${catcher.port}`,
    ca: fixture('ca.pem'),
    taken,
    [Symbol.asyncDispose]: catcher[Symbol.asyncDispose],
  };
};
