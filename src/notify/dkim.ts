import { createPrivateKey } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { fault, type Secret } from '../core/index.ts';

/** The DKIM key; its public half is published in DNS under `<selector>._domainkey.<domain>`. */
export type DkimKey = {
  readonly domain: string;
  readonly selector: string;
  /** RSA private key as PEM. */
  readonly key: Secret;
};

/** RFC 6376 5.4.1, and the fields that RFC 8058 requires for one-click unsubscribing. */
const signedFields = [
  'From',
  'Reply-To',
  'To',
  'Subject',
  'Date',
  'Message-ID',
  'In-Reply-To',
  'References',
  'MIME-Version',
  'Content-Type',
  'Content-Transfer-Encoding',
  'Auto-Submitted',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
].join(':');

const isUsable = (pem: string): boolean => {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
};

/**
 * Prepends a DKIM-Signature (RFC 6376: rsa-sha256, relaxed/relaxed). It has no timestamp and no randomness: the same message
 * gives the same bytes. @throws Fault `config-invalid` when the key is not an RSA private key
 */
export const signMessage = async (bytes: Buffer, { domain, selector, key }: DkimKey): Promise<Buffer> => {
  // The signer ignores an unusable key and leaves the message unsigned.
  if (!isUsable(key.reveal()))
    throw fault('config-invalid', 'mail.dkim.key is not an RSA private key, so mails cannot be signed', {
      advice: 'set mail.dkim.key to a PEM file with an RSA private key (openssl genrsa 2048)',
    });
  const { default: DKIM } = await import('nodemailer/lib/dkim');
  const signer = new DKIM({ domainName: domain, keySelector: selector, privateKey: key.reveal() });
  return buffer(signer.sign(bytes, { headerFieldNames: signedFields }));
};
