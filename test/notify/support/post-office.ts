import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

const pem = (name: string): string =>
  readFileSync(new URL(`../../fixtures/tls/${name}.pem`, import.meta.url), 'utf8');
const key = (name: string): string =>
  readFileSync(new URL(`../../fixtures/tls/${name}.key`, import.meta.url), 'utf8');

export const ca = pem('ca');

export type Received = { readonly from: string; readonly to: readonly string[]; readonly bytes: Buffer };

/** What the server does with one mail: `accept`, `cut` (the connection), or an answer such as `452 try later`. */
export type Reply = string;

export type PostOfficeOptions = {
  readonly certificate?: 'localhost' | 'stranger';
  /** TLS from the first byte. */
  readonly implicitTls?: boolean;
  readonly without?: readonly ('STARTTLS' | 'AUTH')[];
  readonly atRecipient?: (address: string) => Reply;
  /** May take its time. */
  readonly afterData?: (received: Received, attempt: number) => Reply | Promise<Reply>;
  /** Cuts once this many bytes of a message have come. */
  readonly cutAfterBytes?: number;
  readonly login?: { readonly user: string; readonly password: string };
  readonly loginReply?: string;
  /** Of the server itself, in place of what it is given otherwise. */
  readonly more?: SMTPServerOptions;
};

const refusal = (reply: string): Error => {
  const code = Number(reply.slice(0, 3));
  return Object.assign(new Error(reply.slice(4)), { responseCode: code });
};

export const login = { user: 'reports', password: 'pa/ss:word@1' };

/** A real SMTP server on loopback: STARTTLS with the test certificate and a login, unless told otherwise. */
export const openPostOffice = async (options: PostOfficeOptions = {}) => {
  const received: Received[] = [];
  const sockets = new Set<{ destroy: () => unknown }>();
  let connections = 0;
  let attempts = 0;
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const known = options.login ?? login;
  const settings: SMTPServerOptions = {
    secure: options.implicitTls ?? false,
    cert: pem(options.certificate ?? 'localhost'),
    key: key(options.certificate ?? 'localhost'),
    disabledCommands: [...(options.without ?? [])],
    allowInsecureAuth: true,
    authOptional: options.without?.includes('AUTH') ?? false,
    logger: false,
    onAuth: ({ username, password }, _session, done) => {
      if (options.loginReply !== undefined) done(refusal(options.loginReply));
      else if (username === known.user && password === known.password) done(null, { user: username });
      else done(Object.assign(new Error(`no such login: ${password}`), { responseCode: 535 }));
    },
    onRcptTo: ({ address }, _session, done) => {
      const reply = options.atRecipient?.(address) ?? 'accept';
      if (reply === 'cut') cut();
      else if (reply === 'accept') done();
      else done(refusal(reply));
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      let size = 0;
      stream.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (options.cutAfterBytes !== undefined && size > options.cutAfterBytes) cut();
      });
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? '' : mailFrom.address;
        const mail = { from, to: rcptTo.map(({ address }) => address), bytes: Buffer.concat(chunks) };
        attempts += 1;
        const answer = (reply: Reply): void => {
          if (reply === 'accept' || reply === 'cut') received.push(mail);
          if (reply === 'cut') cut();
          else if (reply === 'accept') done();
          else done(refusal(reply));
        };
        const reply = options.afterData?.(mail, attempts) ?? 'accept';
        if (typeof reply === 'string') answer(reply);
        else void reply.then(answer);
      });
    },
  };
  const server = new SMTPServer({ ...settings, ...options.more });
  server.on('error', () => undefined);
  server.server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.server.address() as AddressInfo;
  const userinfo = `${encodeURIComponent(known.user)}:${encodeURIComponent(known.password)}@`;
  return {
    port,
    url: `${options.implicitTls === true ? 'smtps' : 'smtp'}://${options.without?.includes('AUTH') === true ? '' : userinfo}localhost:${port}`,
    received: received as readonly Received[],
    /** Connections so far. */
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      cut();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};

export type PostOffice = Awaited<ReturnType<typeof openPostOffice>>;
