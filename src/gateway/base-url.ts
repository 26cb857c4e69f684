import { isLoopback, fault, trimEndOf } from '../core/index.ts';

/** The gateway's address: the only origin that receives the Admin Key, and the path prefix of every endpoint. */
export type BaseUrl = { readonly origin: string; readonly prefix: string };

export type Query = Readonly<Record<string, string | number | undefined>>;

/**
 * Parses `base_url`. https, or http on loopback only; a path is a prefix; no user, password, query or fragment.
 * @throws Fault `config-invalid`, `gateway-url-insecure`; the text is not quoted, since it may contain a password.
 */
export const parseBaseUrl = (text: string): BaseUrl => {
  if (!URL.canParse(text))
    throw fault('config-invalid', 'base_url is not a URL', { advice: 'write base_url as https://host' });
  const url = new URL(text);
  if (url.username !== '' || url.password !== '')
    throw fault('gateway-url-insecure', `base_url (host ${url.host}) contains a user or password`, {
      advice: 'remove them from base_url; the gateway is called with admin_key only',
    });
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname)))
    throw fault(
      'gateway-url-insecure',
      `base_url (host ${url.host}) is ${url.protocol.slice(0, -1)}, but the Admin Key is sent only over https`,
    );
  if (url.search !== '' || url.hash !== '')
    throw fault('config-invalid', `base_url (host ${url.host}) contains a query or a fragment`, {
      advice: 'remove everything from the ? or # on',
    });
  return { origin: url.origin, prefix: trimEndOf(url.pathname, '/') };
};

/** The address of one request; parameters without a value are omitted. */
export const addressOf = (base: BaseUrl, path: string, query: Query = {}): URL => {
  const url = new URL(base.origin);
  url.pathname = base.prefix + path;
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.append(name, String(value));
  }
  return url;
};
