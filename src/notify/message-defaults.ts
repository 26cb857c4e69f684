import type { Mailbox } from '../core/index.ts';
import { oneLine } from './address.ts';
import type { DkimKey } from './dkim.ts';

/** How recipients unsubscribe (RFC 2369, RFC 8058); at least one of the two is set. */
export type Unsubscribe = {
  /** Receives a mail with the subject `unsubscribe`. */
  readonly mailto?: string | undefined;
  /** https URL; `{recipient}` in it is replaced by the recipient's address. */
  readonly url?: string | undefined;
};

export type MessageDefaults = {
  readonly replyTo?: Mailbox | undefined;
  readonly unsubscribe?: Unsubscribe;
  readonly dkim?: DkimKey | undefined;
};

export type Header = {
  readonly key: string;
  readonly value: string | { readonly prepared: true; readonly value: string };
};

const placeholder = '{recipient}';

/** Encodes characters that would end the `<…>` or the line of the header. */
const inBrackets = (uri: string): string => `<${oneLine(uri).replaceAll(/[\s<>]/g, encodeURIComponent)}>`;

const unsubscribeHeaders = ({ mailto, url }: Unsubscribe, recipient: string): Header[] => {
  const uris = [
    ...(mailto === undefined ? [] : [`mailto:${mailto}?subject=unsubscribe`]),
    ...(url === undefined ? [] : [url.replaceAll(placeholder, encodeURIComponent(recipient))]),
  ];
  if (uris.length === 0) return [];
  // One URI per line: mailers must not break or encode them.
  const value = uris.map(inBrackets).join(',\r\n ');
  // A mail client posts there without asking, and only the URL identifies the recipient.
  const isOneClick = url !== undefined && url.startsWith('https://') && url.includes(placeholder);
  return [
    { key: 'List-Unsubscribe', value: { prepared: true, value } },
    ...(isOneClick ? [{ key: 'List-Unsubscribe-Post', value: 'List-Unsubscribe=One-Click' }] : []),
  ];
};

/**
 * Auto-Submitted (RFC 3834) and X-Auto-Response-Suppress (Exchange) prevent automatic replies. There is no Precedence header:
 * no standard defines it, and some servers give `bulk` the lowest priority.
 */
export const automaticHeaders = (messageDefaults: MessageDefaults, recipient: string): Header[] => [
  { key: 'Auto-Submitted', value: 'auto-generated' },
  { key: 'X-Auto-Response-Suppress', value: 'All' },
  ...(messageDefaults.unsubscribe === undefined
    ? []
    : unsubscribeHeaders(messageDefaults.unsubscribe, recipient)),
];
