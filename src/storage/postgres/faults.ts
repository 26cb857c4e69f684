import { fault, isFault, messageOf, systemCode, type Fault, type FaultCode } from '../../core/index.ts';

type Meaning = {
  readonly code: FaultCode;
  /** In place of the driver's text. */
  readonly text?: string;
  readonly advice?: string;
  readonly retryHelps?: boolean;
};

const gone = (text?: string): Meaning => ({
  code: 'database-unreachable',
  ...(text === undefined ? {} : { text }),
});
const refused = (advice: string): Meaning => ({ code: 'database-refused', advice });

const login = refused(
  'check user and password in the URL of the database, or allow the user in pg_hba.conf; if the server needs TLS, set sslmode=require or verify-full',
);

/** Meanings by system error code or SQLSTATE. `meaningOf` handles class 08 (connections). */
const meanings: Readonly<Record<string, Meaning>> = {
  ECONNREFUSED: gone('no server listens there'),
  ENOTFOUND: gone('the name of the host is unknown'),
  EAI_AGAIN: gone('DNS does not answer'),
  ENOENT: gone('the socket of the server does not exist'),
  EHOSTUNREACH: gone('the host cannot be reached'),
  ENETUNREACH: gone('the network of the host cannot be reached'),
  ETIMEDOUT: gone('the server does not answer'),
  ECONNRESET: gone('the connection was cut'),
  EPIPE: gone('the connection was cut'),
  EACCES: refused('give the user that Tollkeeper runs as access to the socket'),
  '25006': {
    ...refused(
      'use the address of the primary. After a failover no action is needed if the address follows the primary',
    ),
    retryHelps: true,
  },
  '25P03': gone(),
  '28000': login,
  '28P01': login,
  '3D000': refused('create the database, with encoding UTF8, or correct its name in the URL of the database'),
  '40001': { code: 'warehouse-failed', retryHelps: true },
  '40P01': { code: 'warehouse-failed', retryHelps: true },
  '42501': refused(
    'grant the role access to the object that the message names, or make the role the owner of the database and its tables',
  ),
  '53100': {
    code: 'disk-full',
    advice: 'free space on the volume of the database server; nothing of this step was stored',
  },
  '53300': {
    code: 'database-unreachable',
    advice: 'close other connections, or raise max_connections of the server or the limit of the role',
  },
  '57014': {
    code: 'warehouse-failed',
    retryHelps: true,
    advice: 'raise statement_timeout of the role if it ended the statement; nothing of this step was stored',
  },
  '57P01': gone(),
  '57P02': gone(),
  '57P03': gone(),
};

/** Codes that OpenSSL and Node give a certificate they do not trust. */
const untrusted = /^(CERT_|CRL_|SELF_SIGNED|UNABLE_TO_|DEPTH_ZERO_|ERR_TLS_CERT|HOSTNAME_MISMATCH|INVALID_)/;

/** Meanings of driver errors that have no code, by their text. */
const texts: readonly (readonly [RegExp, Meaning])[] = [
  [/connection timeout|timeout expired/i, gone('the server does not answer in time')],
  [/timeout exceeded when trying to connect/i, gone('no connection became free within 10 seconds')],
  [
    /^Connection terminated|^Client (was closed|has encountered a connection error)/,
    gone('the connection was cut'),
  ],
  [
    /does not support SSL|establishing an SSL connection/,
    refused(
      'turn on ssl at the server; on a trusted network, set sslmode=disable in the URL of the database',
    ),
  ],
  [/^SASL:.*password must be/, { ...login, text: 'the server asks for a password, and the URL has none' }],
];

const meaningOf = (error: unknown): Meaning => {
  const message = messageOf(error);
  const code = systemCode(error) ?? '';
  const known = texts.find(([pattern]) => pattern.test(message))?.[1] ?? meanings[code];
  if (known !== undefined) return known;
  if (code.startsWith('08')) return gone();
  if (untrusted.test(code))
    return {
      code: 'database-refused',
      text: `the certificate of the server is not trusted (${code})`,
      advice:
        'set sslrootcert in the URL of the database to the file of its CA, or fix the certificate of the server',
    };
  return { code: 'warehouse-failed' };
};

/** Converts a driver error to a fault of the catalogue. Returns a fault unchanged. `where` has no password. */
export const postgresFault = (error: unknown, where: string): Fault => {
  if (isFault(error)) return error;
  const { code, text, ...options } = meaningOf(error);
  const message = text ?? (messageOf(error) || systemCode(error) || 'no reason given');
  return fault(code, `${where}: ${message}`, { cause: error, ...options });
};

/** Whether the connection must not be used again after this error. A connection to a demoted server (25006) stays read-only. */
export const endsConnection = (error: Fault): boolean =>
  error.code === 'database-unreachable' || systemCode(error) === '25006';

/** Whether a transaction failed only because of a concurrent transaction; none of its changes was stored. */
export const isConflict = (error: unknown): boolean => ['40001', '40P01'].includes(systemCode(error) ?? '');
