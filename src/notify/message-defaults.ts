import { oneLine, type Mailbox } from './address.ts';
import type { DkimKey } from './dkim.ts';

/** How a recipient says that no more mails are wanted (RFC 2369, RFC 8058); at least one of the two is given. */
export type Unsubscribe = {
  /** Receives a mail with the subject `unsubscribe`. */
  readonly mailto?: string | undefined;
  /** Web address, https; `{recipient}` in it becomes the recipient's address. */
  readonly url?: string | undefined;
};

/** What all our mails have in common beside their sender. */
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

/** What would end the header's `<…>`, or the line, cannot stand in an address. */
const inBrackets = (uri: string): string => `<${oneLine(uri).replaceAll(/[\s<>]/g, encodeURIComponent)}>`;

const unsubscribeHeaders = ({ mailto, url }: Unsubscribe, recipient: string): Header[] => {
  const uris = [
    ...(mailto === undefined ? [] : [`mailto:${mailto}?subject=unsubscribe`]),
    ...(url === undefined ? [] : [url.replaceAll(placeholder, encodeURIComponent(recipient))]),
  ];
  if (uris.length === 0) return [];
  // Each address on a line of its own: mailers must not break or encode them.
  const value = uris.map(inBrackets).join(',\r\n ');
  // A mail client posts there without asking anybody, and nothing but the address tells for whom.
  const isOneClick = url !== undefined && url.startsWith('https://') && url.includes(placeholder);
  return [
    { key: 'List-Unsubscribe', value: { prepared: true, value } },
    ...(isOneClick ? [{ key: 'List-Unsubscribe-Post', value: 'List-Unsubscribe=One-Click' }] : []),
  ];
};

/**
 * Headers of an automatic mail. Auto-Submitted (RFC 3834) and X-Auto-Response-Suppress (Exchange) keep absence notes
 * away. No Precedence: no standard gives it a meaning, and some servers put `bulk` behind everything else.
 */
export const automaticHeaders = (messageDefaults: MessageDefaults, recipient: string): Header[] => [
  { key: 'Auto-Submitted', value: 'auto-generated' },
  { key: 'X-Auto-Response-Suppress', value: 'All' },
  ...(messageDefaults.unsubscribe === undefined
    ? []
    : unsubscribeHeaders(messageDefaults.unsubscribe, recipient)),
];
