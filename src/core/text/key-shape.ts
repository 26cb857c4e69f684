import { createHash } from 'node:crypto';

/** What looks like an API key, whether or not it is known. */
export const keyShape = /\bsk-[A-Za-z0-9_-]{24,}/g;

/** An age identity, also one of which only the beginning is there. */
const identityShape = /AGE-SECRET-KEY-[A-Z0-9-]*/gi;

/** Whatever is a secret by its shape alone. */
export const secretShapes: readonly RegExp[] = [keyShape, identityShape];

/** The text with `[secret]` in place of what has the shape of a secret: for texts that are cut before they are redacted. */
export const withoutShapes = (text: string): string =>
  secretShapes.reduce((shown, shape) => shown.replaceAll(shape, '[secret]'), text);

/** The text with the fingerprint of each key in its place: equal keys stay equal, and none can be used. */
export const withFingerprints = (text: string): string =>
  text.replaceAll(keyShape, (key) => `sha256:${createHash('sha256').update(key).digest('hex')}`);
