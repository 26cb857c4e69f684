import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as tls from 'node:tls';
import { fault, messageOf } from '../core/index.ts';

const block = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

const checked = (pem: string): readonly string[] => {
  const found = pem.match(block) ?? [];
  if (found.length === 0)
    throw fault('config-invalid', 'tls.ca contains no certificate: expected PEM blocks (BEGIN CERTIFICATE)');
  for (const one of found) {
    try {
      void new X509Certificate(one);
    } catch (error) {
      throw fault('config-invalid', `tls.ca contains an invalid certificate: ${messageOf(error)}`);
    }
  }
  return found;
};

/** Node 20 has no API for its default roots, which NODE_EXTRA_CA_CERTS adds to. */
const defaultRoots = (env: NodeJS.ProcessEnv): readonly string[] => {
  const { getCACertificates } = tls as { getCACertificates?: (kind: 'default') => string[] };
  if (getCACertificates !== undefined) return getCACertificates('default');
  const extra = env['NODE_EXTRA_CA_CERTS'];
  if (extra === undefined || extra === '') return tls.rootCertificates;
  try {
    return [...tls.rootCertificates, ...(readFileSync(extra, 'utf8').match(block) ?? [])];
  } catch {
    // Node itself only warns about such a file.
    return tls.rootCertificates;
  }
};

/**
 * Trusts Node's default issuers and these, with TLS 1.2 or newer. Each text is PEM, may contain several certificates, and
 * is checked at once. The context is created when it is first asked for and serves all connections: reading 150
 * certificates takes longer than a handshake. It is undefined (Node's defaults apply) where no text is given.
 * @throws Fault `config-invalid`
 */
export const trustedContext = (
  ca: readonly string[] | undefined,
  env: NodeJS.ProcessEnv,
): (() => tls.SecureContext | undefined) => {
  const added = (ca ?? []).flatMap(checked);
  if (added.length === 0) return () => undefined;
  let context: tls.SecureContext | undefined;
  return () =>
    (context ??= tls.createSecureContext({ ca: [...defaultRoots(env), ...added], minVersion: 'TLSv1.2' }));
};
