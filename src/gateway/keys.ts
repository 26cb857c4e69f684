import type { Secret } from '../base/index.ts';
import { apiKey, createdKey, keyPage } from './api-key.ts';
import type { ApiKey, KeyPage } from './api-key.ts';
import type { CallMeans, CallOptions } from './call.ts';
import { endpoints } from './endpoints.ts';
import { callForData, callForOutcome } from './envelope.ts';
import { checkKeyUpdate, checkNewKey, keyUpdateBody, newKeyBody } from './key-spec.ts';
import type { KeySpec, KeyUpdate } from './key-spec.ts';
import { registerNewKeys } from './new-key-secrets.ts';

export type CreatedKey = { readonly id: number; readonly key: Secret };

export const readKeyPage = (
  means: CallMeans,
  page: { readonly page: number; readonly pageSize: number },
  options: CallOptions = {},
): Promise<KeyPage> =>
  callForData(
    means,
    { ...options, endpoint: endpoints.listKeys, query: { p: page.page, page_size: page.pageSize } },
    keyPage,
  );

export const readKey = async (means: CallMeans, id: number, options: CallOptions = {}): Promise<ApiKey> =>
  callForData(means, { ...options, endpoint: endpoints.readKey(id) }, apiKey);

/** The plaintext is a registered secret before anything else looks at the answer, and is given out this once. */
export const createKey = async (
  means: CallMeans,
  spec: KeySpec,
  options: CallOptions = {},
): Promise<CreatedKey> => {
  checkNewKey(spec, means.clock.now());
  const created = await callForData(
    means,
    {
      ...options,
      endpoint: endpoints.createKey,
      body: newKeyBody(spec),
      firstSight: (text) => registerNewKeys(text, means.secrets),
    },
    createdKey,
  );
  return { id: created.id, key: means.secrets.register(created.key) };
};

export const updateKey = async (
  means: CallMeans,
  update: KeyUpdate,
  options: CallOptions = {},
): Promise<void> => {
  checkKeyUpdate(update);
  await callForOutcome(means, {
    ...options,
    endpoint: endpoints.updateKey,
    body: keyUpdateBody(update),
  });
};

export const deleteKey = async (means: CallMeans, id: number, options: CallOptions = {}): Promise<void> =>
  callForOutcome(means, { ...options, endpoint: endpoints.deleteKey(id) });
