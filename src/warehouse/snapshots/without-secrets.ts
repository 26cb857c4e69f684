const secretNames =
  /(^|[_-])(key|token|secret|password|passwd|passphrase|credential|session|cookie|authorization|auth|otp|hash|plaintext|identity|id_number|id_card|passport)s?([_-]|$)/i;

const keyShape = /\bsk-[\w-]{8,}/g;

const mark = '[secret]';

/** `accessToken` is named as `access_token` is. */
const named = (name: string): boolean =>
  secretNames.test(name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').replaceAll(/\\./g, '_'));

const masked = (text: string): boolean => /[*•…]|\.{3}/.test(text);

/**
 * A JSON text without what may be a secret: texts under a name that says so, and whatever looks like a key. The contract
 * promises that none comes (docs/gateway.md G4.2 and G2.6); should one do so, it is not kept.
 */
export const withoutSecrets = (json: string): string => {
  let name = '';
  return json.replaceAll(
    /("(?:[^"\\]|\\.)*")(\s*:)?/g,
    (whole, text: string, colon: string | undefined): string => {
      if (colon !== undefined) {
        name = text.slice(1, -1);
        return whole.replaceAll(keyShape, mark);
      }
      if (text !== '""' && named(name) && !masked(text)) return `"${mark}"`;
      return text.replaceAll(keyShape, mark);
    },
  );
};

/** Longer than any name or word; a mask hides the middle of something of this length. */
const shortestKey = 16;

/** A mask as served, or one of our own where what was served hides nothing. */
export const maskOf = (text: string): string =>
  masked(text) || text.length < shortestKey ? text : `${text.slice(0, 7)}**********${text.slice(-4)}`;
