import { isLoopback } from '../../core/index.ts';
import type { BlobStore, SavedBlob } from './blobs.ts';
import type { ModelDeps } from './call-model.ts';
import { saveBody } from './lift-blobs.ts';

/** Bytes. */
const maxFile = 1024 ** 3;

/**
 * Saves what a link of an answer leads to; returns a text where it leads nowhere. It is requested without the key, over
 * https; over http only from this machine, where the gateway is too. No redirect is followed.
 */
export const fetchLink = async (
  { base, http }: Pick<ModelDeps, 'base' | 'http'>,
  link: string,
  store: BlobStore,
  signal?: AbortSignal,
): Promise<SavedBlob | string> => {
  if (!URL.canParse(link)) return 'it is no URL';
  const url = new URL(link);
  const isLocal = isLoopback(url.hostname) && isLoopback(new URL(base.origin).hostname);
  if (url.protocol !== 'https:' && !(isLocal && url.protocol === 'http:')) return 'it is not https';
  const answer = await http.send({ method: 'GET', url, limit: maxFile, signal });
  if (answer.status === 200) return saveBody(answer.body, store);
  await answer.discard();
  return `it is answered with status ${answer.status}`;
};
