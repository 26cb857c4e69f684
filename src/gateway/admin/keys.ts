import { fault, type Secret } from '../../core/index.ts';
import { apiKey, createdKey, keyPage, type ApiKey, type KeyPage } from './api-key.ts';
import type { Call, CallDeps, CallOptions } from '../call.ts';
import type { Endpoint } from '../endpoint.ts';
import { startDeadline } from '../../http/index.ts';
import { callForData, callForOutcome, usualPageTimeout } from '../envelope.ts';
import { networkFault } from '../network-faults.ts';
import { listAllKeys } from './key-listing.ts';
import {
  checkKeyUpdate,
  checkNewKey,
  keyUpdateBody,
  newKeyBody,
  type KeyPatch,
  type KeySpec,
  type KeyUpdate,
} from './key-spec.ts';
import { registerKeys } from './key-secrets.ts';

export type CreatedKey = { readonly id: number; readonly key: Secret };

export type KeyEndpoints = {
  /** Every key, each once, even if keys are created and deleted while the pages are read. */
  readonly listKeys: (options?: CallOptions) => Promise<ApiKey[]>;
  /** Pages count from 1. The requested size may be capped: `pageSize` is the size of the answer. */
  readonly keyPage: (
    page: { readonly page: number; readonly pageSize: number },
    options?: CallOptions,
  ) => Promise<KeyPage>;
  readonly readKey: (id: number, options?: CallOptions) => Promise<ApiKey>;
  /** Returns the plaintext key, which is available only this once. */
  readonly createKey: (spec: KeySpec, options?: CallOptions) => Promise<CreatedKey>;
  /** Writes the whole key: omitted fields could be reset to defaults. */
  readonly updateKey: (update: KeyUpdate, options?: CallOptions) => Promise<void>;
  /** Writes only the given fields: for a gateway that is known to keep the others, and to test whether it does. */
  readonly patchKey: (patch: KeyPatch, options?: CallOptions) => Promise<void>;
  /** Takes effect at once (docs/gateway.md G8.14); only a list shows whether the ID existed. */
  readonly deleteKey: (id: number, options?: CallOptions) => Promise<void>;
};

const keyPath = (id: number): string => {
  if (!Number.isSafeInteger(id) || id < 0) throw new RangeError(`not a key ID: ${id}`);
  return `/api/token/${id}`;
};

const keyTemplate = '/api/token/{id}';

const endpoints = {
  listKeys: { method: 'GET', path: '/api/token/', scope: 'keys:read' },
  readKey: (id: number) => ({ method: 'GET', path: keyPath(id), template: keyTemplate, scope: 'keys:read' }),
  createKey: { method: 'POST', path: '/api/token/', scope: 'keys:write' },
  updateKey: { method: 'PUT', path: '/api/token/', scope: 'keys:write' },
  deleteKey: (id: number) => ({
    method: 'DELETE',
    path: keyPath(id),
    template: keyTemplate,
    scope: 'keys:write',
  }),
} as const satisfies Record<string, Endpoint | ((id: number) => Endpoint)>;

/** Characters of all pages of a list. */
const maxList = 16 * 1024 * 1024;

/** A list of any number of pages takes at most this many times as long as a page: each may arrive just in time. */
const longestList = 10;

/** Larger pages are capped by some gateways without a word. */
const pageSize = 100;

export const createKeyEndpoints = (deps: CallDeps): KeyEndpoints => {
  /** docs/gateway.md G2.6 promises that reads never show a plaintext; if one does, it is registered as a secret. */
  const watched = (call: Call): Call => ({
    ...call,
    firstSight: (text) => registerKeys(text, deps.secrets),
  });
  const readPage = (
    { page, pageSize: size }: Parameters<KeyEndpoints['keyPage']>[0],
    options?: CallOptions,
    onText?: (text: string) => void,
  ): Promise<KeyPage> =>
    callForData(
      deps,
      {
        ...options,
        endpoint: endpoints.listKeys,
        query: { p: page, page_size: size },
        firstSight: (text) => {
          onText?.(text);
          registerKeys(text, deps.secrets);
        },
      },
      keyPage,
    );
  const patchKey: KeyEndpoints['patchKey'] = async (patch, options) => {
    checkKeyUpdate(patch);
    await callForOutcome(
      deps,
      watched({ ...options, endpoint: endpoints.updateKey, body: keyUpdateBody(patch) }),
    );
  };
  return {
    listKeys: async (options) => {
      let characters = 0;
      const { pageTimeout = usualPageTimeout } = deps;
      const whole = startDeadline(longestList * pageTimeout, 'the key list', options?.signal);
      const timed = { ...options, signal: whole.signal };
      try {
        return await listAllKeys((number) => {
          if (number === 1) characters = 0;
          return readPage({ page: number, pageSize }, timed, (text) => {
            characters += text.length;
            if (characters > maxList)
              throw fault('gateway-answer-too-large', `the key list has more than ${maxList} characters`);
          });
        });
      } catch (error) {
        throw networkFault(whole.reasonFor(error), endpoints.listKeys);
      } finally {
        whole.stop();
      }
    },
    keyPage: (page, options) => readPage(page, options),
    readKey: async (id, options) =>
      callForData(deps, watched({ ...options, endpoint: endpoints.readKey(id) }), apiKey),
    createKey: async (spec, options) => {
      checkNewKey(spec, deps.clock.now());
      const created = await callForData(
        deps,
        watched({ ...options, endpoint: endpoints.createKey, body: newKeyBody(spec) }),
        createdKey,
      );
      // Registers the plaintext as a secret before anything else reads it. Calls may accept it with its prefix even if
      // it was served without.
      if (!created.key.startsWith('sk-')) deps.secrets.register(`sk-${created.key}`);
      return { id: created.id, key: deps.secrets.register(created.key) };
    },
    updateKey: patchKey,
    patchKey,
    deleteKey: async (id, options) =>
      callForOutcome(deps, watched({ ...options, endpoint: endpoints.deleteKey(id) })),
  };
};
