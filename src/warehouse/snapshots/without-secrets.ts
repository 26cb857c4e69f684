const secretNames =
  /(^|[_-])(key|token|secret|password|passwd|passphrase|credential|session|cookie|authorization|auth|otp|hash|plaintext|identity|id_number|id_card|passport)s?([_-]|$)/i;

const keyShape = /\bsk-[\w-]{8,}/g;

const mark = '[secret]';

/** `accessToken` is named as `access_token` is. */
const named = (name: string): boolean =>
  secretNames.test(name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').replaceAll(/\\./g, '_'));

const masked = (text: string): boolean => /[*•…]|\.{3}/.test(text);

/**
 * Removes possible secrets from a JSON text: texts under a name that suggests one, and whatever looks like a key. The
 * contract promises that none is served (docs/gateway.md G4.2 and G2.6); one that is served anyway is not stored.
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

/** Longer than any name; a mask hides the middle of a text of this length. */
const shortestKey = 16;

/** The mask as served, or a local one if the served text hides nothing. */
export const maskOf = (text: string): string =>
  masked(text) || text.length < shortestKey ? text : `${text.slice(0, 7)}**********${text.slice(-4)}`;
