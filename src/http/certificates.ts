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
 * Trusts Node's default issuers and these, with TLS 1.2 or newer. Undefined (Node's defaults apply) when none are given.
 * Each text is PEM and may contain several certificates. One context serves all connections: reading 150 certificates
 * takes longer than a handshake. @throws Fault `config-invalid`
 */
export const trustedContext = (
  ca: readonly string[] | undefined,
  env: NodeJS.ProcessEnv,
): tls.SecureContext | undefined =>
  ca === undefined || ca.length === 0
    ? undefined
    : tls.createSecureContext({ ca: [...defaultRoots(env), ...ca.flatMap(checked)], minVersion: 'TLSv1.2' });
