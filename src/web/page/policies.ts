import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { refreshScript } from './script.ts';
import { style } from './style.ts';

/** Of every answer. */
export const headers: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), interest-cohort=()',
};

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const policy = (parts: readonly string[]): string =>
  ["default-src 'none'", 'img-src data:', "base-uri 'none'", "frame-ancestors 'none'", ...parts].join('; ');

/** The page has one style, one script that reads the page again, and forms that lead to itself. */
export const pagePolicy = policy([
  `style-src ${hashOf(style)}`,
  `script-src ${hashOf(refreshScript)}`,
  "connect-src 'self'",
  "form-action 'self'",
]);

/** Reports contain inline styles and no scripts; the sandbox keeps their links from acting as this page. */
export const reportPolicy = policy([
  "style-src 'unsafe-inline'",
  "form-action 'none'",
  'sandbox allow-popups allow-popups-to-escape-sandbox',
]);

/**
 * Whether a Host header names this server: an IP address, `localhost`, or a name of the settings. Prevents DNS rebinding, where
 * another site's name resolves to this address and its scripts could read the answers.
 */
export const isKnownHost = (header: string | undefined, names: readonly string[]): boolean => {
  if (header === undefined || !/^[\w.:[\]-]+$/.test(header) || !URL.canParse(`http://${header}`))
    return false;
  const name = new URL(`http://${header}`).hostname.replace(/\.$/, '');
  if (isIP(name.replaceAll(/[[\]]/g, '')) !== 0) return true;
  return (
    name === 'localhost' || name.endsWith('.localhost') || names.some((own) => own.toLowerCase() === name)
  );
};
