import { profile, statistics } from './admin/admin-account.ts';
import { logExport } from './admin/admin-log.ts';
import { usageExport } from './admin/admin-usage.ts';
import { createKey, deleteKey, listKeys, readKey, updateKey } from './admin/admin-keys.ts';
import { badCall, callingKey, isAnswer } from './models/model-call.ts';
import { embeddings } from './models/model-embeddings.ts';
import { files } from './models/files.ts';
import { action, blend, describe, fetchImageTask, imagine, uploadImages } from './models/image-tasks.ts';
import { editImage, editResult, generateImage } from './models/images.ts';
import { messages } from './models/model-messages.ts';
import { concat, createPersona, feed, fetchMusicTask, uploadAudio } from './models/music.ts';
import { badBody, notAllowed, tooMany, unknownRoute, wrongMethod, type Answer } from './answer.ts';
import { adminHashOf, type StoredKey } from './keys.ts';
import { bearer, type Request } from './request.ts';
import type { Scope, State } from './state.ts';
import { answerBy } from './variants.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
type Route = { readonly method: Method; readonly path: RegExp } & (
  | { readonly scope: Scope; readonly handle: (state: State, request: Request) => Answer }
  | { readonly call: (state: State, request: Request, key: StoredKey) => Answer }
  /** Needs no key. */
  | { readonly open: (state: State, request: Request) => Answer }
);

const usagePath = /^\/api\/data\/self\/pivot\/stream-export$/u;
const keyPath = /^\/api\/token\/(?<id>-?\d{1,15})$/u;

/** docs/gateway.md G2.3 and G9.1. */
const routes: readonly Route[] = [
  { method: 'GET', path: /^\/api\/user\/self$/u, scope: 'account:read', handle: profile },
  { method: 'GET', path: /^\/api\/log\/self\/stat$/u, scope: 'logs:read', handle: statistics },
  { method: 'GET', path: /^\/api\/log\/self\/stream-export$/u, scope: 'logs:read', handle: logExport },
  { method: 'GET', path: usagePath, scope: 'usage:read', handle: usageExport },
  { method: 'GET', path: /^\/api\/token\/$/u, scope: 'keys:read', handle: listKeys },
  { method: 'POST', path: /^\/api\/token\/$/u, scope: 'keys:write', handle: createKey },
  { method: 'PUT', path: /^\/api\/token\/$/u, scope: 'keys:write', handle: updateKey },
  { method: 'GET', path: keyPath, scope: 'keys:read', handle: readKey },
  { method: 'DELETE', path: keyPath, scope: 'keys:write', handle: deleteKey },
  { method: 'POST', path: /^\/v1\/embeddings$/u, call: embeddings },
  { method: 'POST', path: /^\/v1\/messages$/u, call: messages },
  { method: 'POST', path: /^\/v1\/images\/generations$/u, call: generateImage },
  { method: 'POST', path: /^\/imgedit\/v1\/edit-context-pro$/u, call: editImage },
  { method: 'GET', path: /^\/imgedit\/v1\/get_result$/u, call: editResult },
  { method: 'GET', path: /^\/imgjob\/task\/(?<id>[^/]+)\/fetch$/u, call: fetchImageTask },
  { method: 'POST', path: /^\/imgjob\/submit\/imagine$/u, call: imagine },
  { method: 'POST', path: /^\/imgjob\/submit\/blend$/u, call: blend },
  { method: 'POST', path: /^\/imgjob\/submit\/describe$/u, call: describe },
  { method: 'POST', path: /^\/imgjob\/submit\/action$/u, call: action },
  { method: 'POST', path: /^\/imgjob\/submit\/upload-chat-images$/u, call: uploadImages },
  { method: 'POST', path: /^\/music\/persona\/create$/u, call: createPersona },
  { method: 'GET', path: /^\/music\/feed\/(?<id>[^/]+)$/u, call: feed },
  { method: 'GET', path: /^\/music\/fetch\/(?<id>[^/]+)$/u, call: fetchMusicTask },
  { method: 'POST', path: /^\/music\/uploads\/audio-url$/u, call: uploadAudio },
  { method: 'POST', path: /^\/music\/submit\/concat$/u, call: concat },
  { method: 'GET', path: /^\/_files\/[\w.-]+$/u, open: files },
];

/** Why the body is not readable as JSON. */
export type Unreadable = 'malformed' | 'too long';

/** An id that cannot be decoded stays as written, and matches nothing. */
const idIn = (pattern: RegExp, path: string): string => {
  const id = pattern.exec(path)?.groups?.['id'] ?? '';
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
};

const handled = (state: State, request: Request, unreadable: Unreadable | undefined): Answer => {
  const { variants } = state;
  const here = routes.filter(({ path }) => path.test(request.path));
  const route = here.find(({ method }) => method === request.method);
  if (here.length === 0) return unknownRoute(variants);
  if (route === undefined)
    return wrongMethod(
      variants,
      here.map(({ method }) => method),
    );

  if ('open' in route) return route.open(state, request);
  const id = idIn(route.path, request.path);
  if ('call' in route) {
    const key = callingKey(state, request);
    if (isAnswer(key)) return key;
    return unreadable === undefined
      ? route.call(state, { ...request, id }, key)
      : badCall('the body is not valid JSON, or too long');
  }

  const plaintext = bearer(request.headers);
  const hash = plaintext === undefined ? '' : adminHashOf(plaintext);
  const admin = state.adminKeys.find((one) => one.hash === hash);
  if (admin === undefined) return notAllowed(variants, 'key');
  if (!admin.scopes.includes(route.scope)) return notAllowed(variants, 'scope');
  if (variants.rate_limit && !state.limiter.admit(hash, route.scope === 'keys:write')) return tooMany;
  if (unreadable !== undefined) return badBody(variants, unreadable === 'too long' ? 413 : 400);
  return route.handle(state, { ...request, id });
};

export const answerTo = (state: State, request: Request, unreadable?: Unreadable): Answer =>
  answerBy(state.variants, handled(state, request, unreadable), { request, now: state.seconds() });
