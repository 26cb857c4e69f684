import { isLoopback, isPrivateAddress } from '../../core/index.ts';
import type { Http } from '../../http/index.ts';
import type { BlobStore, SavedBlob } from './blobs.ts';
import type { ModelDeps } from './call-model.ts';
import { saveBody } from './lift-blobs.ts';

/** Bytes. */
const maxFile = 1024 ** 3;

export type LinkDeps = Pick<ModelDeps, 'base'> & {
  /** The transport for links, which anyone may have written: it reaches the addresses of `mayFollow` alone. */
  readonly links: Http;
};

/** The addresses to which links may lead: public ones, and this machine's while the gateway is on it. */
export const mayFollow =
  ({ base }: Pick<ModelDeps, 'base'>, allowPrivate: boolean) =>
  (address: string): boolean =>
    allowPrivate ||
    !isPrivateAddress(address) ||
    (isLoopback(address) && isLoopback(new URL(base.origin).hostname));

/**
 * Saves what a link of an answer leads to; returns a text where it leads nowhere. It is requested without the key, over
 * https; over http only from this machine, where the gateway is too. No redirect is followed.
 */
export const fetchLink = async (
  { base, links }: LinkDeps,
  link: string,
  store: BlobStore,
  signal?: AbortSignal,
): Promise<SavedBlob | string> => {
  if (!URL.canParse(link)) return 'it is no URL';
  const url = new URL(link);
  const isLocal = isLoopback(url.hostname) && isLoopback(new URL(base.origin).hostname);
  if (url.protocol !== 'https:' && !(isLocal && url.protocol === 'http:')) return 'it is not https';
  const answer = await links.send({ method: 'GET', url, limit: maxFile, signal });
  if (answer.status === 200) return saveBody(answer.body, store);
  await answer.discard();
  return `it is answered with status ${answer.status}`;
};
