import { messageOf, systemCode } from '../core/index.ts';

/**
 * - `unreachable`: no connection was established (refused, unknown host, no route, rejected by the proxy)
 * - `certificate`: TLS was established, but the certificate is not trusted
 * - `tls`: the TLS handshake failed (plain HTTP on that port, no common version)
 * - `timeout`: connect, headers, idle or total time ran out
 * - `connection-lost`: it broke off before the end of the answer
 * - `protocol`: the answer is not HTTP, or its encoding is unreadable
 * - `too-large`: the body exceeded the limit it was read with
 */
export type ProblemKind =
  | 'unreachable'
  | 'certificate'
  | 'tls'
  | 'timeout'
  | 'connection-lost'
  | 'protocol'
  | 'too-large';

/**
 * A network error for a host, in neutral terms; each module maps it to catalogue errors. Contains no secret and no
 * query.
 */
export type NetworkProblem = Error & { readonly name: 'NetworkTrouble'; readonly kind: ProblemKind };

export const networkProblem = (kind: ProblemKind, message: string, cause?: unknown): NetworkProblem =>
  Object.assign(cause === undefined ? new Error(message) : new Error(message, { cause }), {
    name: 'NetworkTrouble' as const,
    kind,
  });

export const isNetworkProblem = (error: unknown): error is NetworkProblem =>
  error instanceof Error && error.name === 'NetworkTrouble' && 'kind' in error;

type Messages = readonly [ProblemKind, string];

const byCode: Readonly<Record<string, Messages>> = {
  ECONNREFUSED: ['unreachable', 'refused the connection'],
  ENOTFOUND: ['unreachable', 'has no address: unknown host name'],
  EAI_AGAIN: ['unreachable', 'has no address: the DNS server does not answer'],
  EHOSTUNREACH: ['unreachable', 'cannot be reached: no route to the host'],
  ENETUNREACH: ['unreachable', 'cannot be reached: no route to its network'],
  EADDRNOTAVAIL: ['unreachable', 'cannot be reached: no local address to connect from'],
  EACCES: ['unreachable', 'cannot be reached: this machine forbids the connection'],
  EPERM: ['unreachable', 'cannot be reached: this machine forbids the connection'],
  ETIMEDOUT: ['timeout', 'did not accept a connection in time'],
  UND_ERR_CONNECT_TIMEOUT: ['timeout', 'did not accept a connection in time'],
  UND_ERR_HEADERS_TIMEOUT: ['timeout', 'accepted the request but did not answer in time'],
  UND_ERR_BODY_TIMEOUT: ['timeout', 'stopped sending before the end of its response'],
  UND_ERR_SOCKET: ['connection-lost', 'closed the connection before the end of its response'],
  ECONNRESET: ['connection-lost', 'closed the connection before the end of its response'],
  ECONNABORTED: ['connection-lost', 'closed the connection before the end of its response'],
  EPIPE: ['connection-lost', 'closed the connection before the end of its response'],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ['connection-lost', 'sent fewer bytes than announced'],
  HPE_INVALID_EOF_STATE: ['connection-lost', 'closed the connection before the end of its response'],
  ERR_STREAM_PREMATURE_CLOSE: ['connection-lost', 'closed the connection before the end of its response'],
  UND_ERR_DESTROYED: ['connection-lost', 'was abandoned: the connection was closed locally'],
  UND_ERR_CLOSED: ['connection-lost', 'was abandoned: the connection was closed locally'],
  UND_ERR_INFO: ['connection-lost', 'closed the connection before the end of its response'],
  Z_BUF_ERROR: ['connection-lost', 'ended its compressed response early'],
  Z_DATA_ERROR: ['protocol', 'sent a compressed response that cannot be decoded'],
  UND_ERR_HEADERS_OVERFLOW: ['protocol', 'sent headers that are too large'],
  UND_ERR_PRX_TLS: ['certificate', 'is behind a proxy whose certificate does not match its name'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['certificate', 'presents a certificate for another name'],
  CERT_HAS_EXPIRED: ['certificate', 'presents an expired certificate'],
  CERT_NOT_YET_VALID: ['certificate', 'presents a certificate that is not yet valid'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['certificate', 'presents a self-signed certificate'],
};

const byPattern: readonly (readonly [RegExp, ...Messages])[] = [
  [
    /^(CERT_|CRL_|SELF_SIGNED|UNABLE_TO_|DEPTH_ZERO_|ERR_TLS_CERT|ERROR_IN_C|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)/,
    'certificate',
    'presents a certificate from an unknown authority',
  ],
  [/^(ERR_SSL_|ERR_TLS_|EPROTO)/, 'tls', 'does not use TLS on this port'],
  [/^HPE_/, 'protocol', 'did not answer with HTTP'],
  [
    /^(ERR__ERROR_FORMAT|ERR_BROTLI|ERR__ERROR_|Z_)/,
    'protocol',
    'sent a compressed response that cannot be decoded',
  ],
];

const errorText = (code: string): Messages | undefined => {
  const known = byCode[code];
  if (known !== undefined) return known;
  const [, kind, message] = byPattern.find(([pattern]) => pattern.test(code)) ?? [];
  return kind === undefined || message === undefined ? undefined : [kind, message];
};

/** A proxy's refusal of a tunnel is available only as this text of undici's. */
const tunnelStatus = (error: unknown): string | undefined =>
  /^Proxy response \((\d{3})\)/.exec(messageOf(error))?.[1];

/**
 * Classifies a system, TLS or undici error. `host` is `name:port`; `proxy` likewise, if one is in use. Any other error
 * is returned unchanged.
 */
export const problemOf = (error: unknown, host: string, proxy?: string): unknown => {
  if (isNetworkProblem(error)) return error;
  const way = proxy === undefined ? host : `${host} (through the proxy ${proxy})`;
  const refused = tunnelStatus(error);
  if (refused !== undefined)
    return networkProblem(
      'unreachable',
      `${way} cannot be reached: the proxy answered ${refused} to the CONNECT request`,
      error,
    );
  const code = systemCode(error);
  // undici's parser sets a code only for some of its errors.
  const parser = error instanceof Error && error.name === 'HTTPParserError' ? 'HPE_UNKNOWN' : undefined;
  const name = code ?? parser;
  const messages = name === undefined ? undefined : errorText(name);
  return messages === undefined
    ? error
    : networkProblem(messages[0], `${way} ${messages[1]} (${name})`, error);
};
