import type { Secret } from '../../core/index.ts';
import { apiKey, createdKey, keyPage } from './api-key.ts';
import type { ApiKey, KeyPage } from './api-key.ts';
import type { Call, CallDeps, CallOptions } from '../call.ts';
import { endpoints } from '../endpoints.ts';
import { callForData, callForOutcome } from '../envelope.ts';
import { checkKeyUpdate, checkNewKey, keyUpdateBody, newKeyBody } from './key-spec.ts';
import type { KeyPatch, KeySpec } from './key-spec.ts';
import { registerKeys } from './key-secrets.ts';

/** docs/gateway.md G2.6 promises that reads never show a plaintext; should one do so all the same, it is a secret like any other. */
const watched = (deps: CallDeps, call: Call): Call => ({
  ...call,
  firstSight: (text) => registerKeys(text, deps.secrets),
});

export type CreatedKey = { readonly id: number; readonly key: Secret };

export const readKeyPage = (
  deps: CallDeps,
  page: { readonly page: number; readonly pageSize: number },
  options: CallOptions = {},
): Promise<KeyPage> =>
  callForData(
    deps,
    watched(deps, {
      ...options,
      endpoint: endpoints.listKeys,
      query: { p: page.page, page_size: page.pageSize },
    }),
    keyPage,
  );

export const readKey = async (deps: CallDeps, id: number, options: CallOptions = {}): Promise<ApiKey> =>
  callForData(deps, watched(deps, { ...options, endpoint: endpoints.readKey(id) }), apiKey);

/** The plaintext is a registered secret before anything else looks at the answer, and is given out this once. */
export const createKey = async (
  deps: CallDeps,
  spec: KeySpec,
  options: CallOptions = {},
): Promise<CreatedKey> => {
  checkNewKey(spec, deps.clock.now());
  const created = await callForData(
    deps,
    watched(deps, { ...options, endpoint: endpoints.createKey, body: newKeyBody(spec) }),
    createdKey,
  );
  // Calls may take it with its prefix though it came without.
  if (!created.key.startsWith('sk-')) deps.secrets.register(`sk-${created.key}`);
  return { id: created.id, key: deps.secrets.register(created.key) };
};

export const updateKey = async (
  deps: CallDeps,
  update: KeyPatch,
  options: CallOptions = {},
): Promise<void> => {
  checkKeyUpdate(update);
  await callForOutcome(
    deps,
    watched(deps, { ...options, endpoint: endpoints.updateKey, body: keyUpdateBody(update) }),
  );
};

export const deleteKey = async (deps: CallDeps, id: number, options: CallOptions = {}): Promise<void> =>
  callForOutcome(deps, watched(deps, { ...options, endpoint: endpoints.deleteKey(id) }));
