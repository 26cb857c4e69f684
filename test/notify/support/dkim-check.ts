import { createHash, createVerify } from 'node:crypto';

/** RFC 6376 3.4.2. */
const relaxedHeader = (field: string): string => {
  const colon = field.indexOf(':');
  const value = field
    .slice(colon + 1)
    .replaceAll('\r\n', '')
    .replaceAll(/[ \t]+/g, ' ')
    .trim();
  return `${field.slice(0, colon).trim().toLowerCase()}:${value}`;
};

/** RFC 6376 3.4.4. */
const relaxedBody = (body: string): string => {
  const lines = body.split('\r\n').map((line) => line.replaceAll(/[ \t]+/g, ' ').replace(/ $/, ''));
  while (lines.at(-1) === '') lines.pop();
  return lines.map((line) => `${line}\r\n`).join('');
};

export type DkimCheck = {
  readonly tags: Readonly<Record<string, string>>;
  /** Names of the fields that are signed, in lower case. */
  readonly signed: readonly string[];
  readonly bodyHolds: boolean;
  readonly signatureHolds: boolean;
};

/** Checks the DKIM-Signature of a message as RFC 6376 tells it, by nothing but node:crypto. */
export const checkDkim = (bytes: Buffer, publicKey: string): DkimCheck => {
  const text = bytes.toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  const fields = text.slice(0, end).split(/\r\n(?![ \t])/);
  const body = text.slice(end + 4);
  const signature = fields.find((field) => /^dkim-signature:/i.test(field)) ?? '';
  const tags = Object.fromEntries(
    signature
      .slice(signature.indexOf(':') + 1)
      .split(';')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== '')
      .map((tag) => {
        const at = tag.indexOf('=');
        return [tag.slice(0, at).trim(), tag.slice(at + 1).replaceAll(/\s/g, '')];
      }),
  );
  const signed = (tags['h'] ?? '').toLowerCase().split(':');
  // Of several fields of a name the last one is signed first (RFC 6376 5.4.2).
  const left = [...fields];
  const data = signed.map((name) => {
    const index = left.findLastIndex((field) => field.toLowerCase().startsWith(`${name}:`));
    return index < 0 ? '' : `${relaxedHeader(left.splice(index, 1)[0] ?? '')}\r\n`;
  });
  const unsigned = relaxedHeader(signature.replace(/([;:]\s*b=)[^;]*/, '$1'));
  const hash = createHash('sha256').update(relaxedBody(body), 'latin1').digest('base64');
  const verify = createVerify('RSA-SHA256').update(data.join('') + unsigned, 'latin1');
  return {
    tags,
    signed,
    bodyHolds: hash === tags['bh'],
    signatureHolds: verify.verify(publicKey, tags['b'] ?? '', 'base64'),
  };
};
