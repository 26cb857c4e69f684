import type { ConnectionOptions } from 'node:tls';
import type { ClientConfig } from 'pg';
import { databaseUrlOf, fault, readReason, readText, type Fault } from '../../core/index.ts';

/** A server and a database on it, from a URL. */
export type PostgresAddress = {
  /** `postgres://user@host:port/database`, without the password. */
  readonly shown: string;
  readonly options: ClientConfig;
};

const form = 'postgres://user:password@host:5432/database';

/** The message does not repeat the URL: in a malformed URL, the password may be anywhere. */
const unusable = (reason: string, advice: string): Fault =>
  fault('database-refused', `the URL of the database ${reason}`, { advice });

const malformed = (): Fault =>
  unusable(
    `is not of the form ${form}`,
    'correct it; percent-encode characters like / # @ : % ? in user and password',
  );

const parameters = ['host', 'port', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'options'];

const parametersOf = (url: URL): ReadonlyMap<string, string> => {
  const given = new Map(url.searchParams);
  const unknown = [...given.keys()].find((name) => !parameters.includes(name));
  if (unknown === undefined) return given;
  if (!/^[a-z_]{1,40}$/i.test(unknown)) throw malformed();
  throw unusable(`has the unknown parameter ${unknown}`, `remove it; use only ${parameters.join(', ')}`);
};

const contentOf = async (
  name: string,
  given: ReadonlyMap<string, string>,
  shown: string,
): Promise<string | undefined> => {
  const path = given.get(name);
  if (path === undefined || path === 'system') return undefined;
  return readText(path).catch((error: unknown) => {
    throw fault('database-refused', `${shown}: ${path} cannot be read (${readReason(error)})`, {
      cause: error,
      advice: `correct ${name} in the URL of the database, or mount the file there`,
    });
  });
};

/**
 * Implements disable, require, verify-ca and verify-full as libpq does; the driver treats them all as verify-full,
 * except disable. Unlike libpq, uses no TLS without sslmode, and trusts the CAs of Node.js without sslrootcert.
 */
const tlsOf = async (
  given: ReadonlyMap<string, string>,
  shown: string,
): Promise<false | ConnectionOptions> => {
  const root = given.get('sslrootcert');
  const mode = given.get('sslmode') ?? (root === 'system' ? 'verify-full' : undefined);
  const files = ['sslrootcert', 'sslcert', 'sslkey'].filter((name) => given.has(name));
  if (mode === undefined && files.length > 0)
    throw unusable(`has ${files.join(' and ')} without sslmode`, 'add sslmode=verify-full');
  if (mode === undefined || mode === 'disable') return false;
  if (!['require', 'verify-ca', 'verify-full'].includes(mode))
    throw unusable(
      'has a sslmode that is not supported',
      'write disable, require, verify-ca or verify-full; prefer and allow can fall back to no TLS',
    );
  if (mode !== 'verify-full' && root === 'system')
    throw unusable(`has sslrootcert=system with sslmode=${mode}`, 'write sslmode=verify-full');
  if (mode === 'verify-ca' && root === undefined)
    throw unusable(
      'has sslmode=verify-ca without sslrootcert',
      'add sslrootcert, the path of a PEM file with the authority; or write sslmode=verify-full if a public CA signed the certificate',
    );
  const [ca, cert, key] = await Promise.all([
    contentOf('sslrootcert', given, shown),
    contentOf('sslcert', given, shown),
    contentOf('sslkey', given, shown),
  ]);
  const own = { ...(cert === undefined ? {} : { cert }), ...(key === undefined ? {} : { key }) };
  if (mode === 'verify-full') return { ...own, ...(ca === undefined ? {} : { ca }) };
  return ca === undefined
    ? { ...own, rejectUnauthorized: false }
    : { ...own, ca, checkServerIdentity: () => undefined };
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw malformed();
  }
};

const portOf = (text: string): number => {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535) throw malformed();
  return port;
};

/** @throws Fault database-refused */
export const addressOf = async (written: string): Promise<PostgresAddress> => {
  const read = databaseUrlOf(written);
  if (read === undefined) throw malformed();
  const { url } = read;
  const database = url.pathname.slice(1);
  const given = parametersOf(url);
  const host = given.get('host') ?? decoded(read.host).replace(/^\[(.+)\]$/, '$1');
  if (host === '') throw malformed();
  if (host.includes(','))
    throw unusable('names several hosts', 'name one: a proxy, or an address that points to the primary');
  const port = portOf(given.get('port') ?? (url.port === '' ? '5432' : url.port));
  const isSocket = host.startsWith('/');
  const shown = isSocket
    ? `postgres://${url.username}@/${database}?host=${host}${port === 5432 ? '' : `&port=${port}`}`
    : `postgres://${url.username}@${host.includes(':') ? `[${host}]` : host}:${port}/${database}`;
  const password = decoded(url.password);
  const session = given.get('options');
  return {
    shown,
    options: {
      user: decoded(url.username),
      // For an empty string, the driver reads a password from PGPASSWORD or ~/.pgpass, which is not registered for
      // redaction. A function that returns the empty string prevents this.
      password: password === '' ? () => '' : password,
      host,
      port,
      database: decoded(database),
      // As in libpq, sslmode does not apply to a Unix socket.
      ssl: isSocket ? false : await tlsOf(given, shown),
      ...(session === undefined ? {} : { options: session }),
    },
  };
};
