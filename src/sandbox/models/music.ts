import { json, type Answer } from '../answer.ts';
import type { StoredKey } from '../keys.ts';
import type { Request } from '../request.ts';
import type { State } from '../state.ts';
import { models } from '../traffic/models.ts';
import { imageLink, seedOf } from './files.ts';
import { badCall, bookCall } from './model-call.ts';
import { isImage, readBody, textIn } from './read-body.ts';
import { clipOf, feedClip, musicRecord, personaClip } from './songs.ts';
import { submitTask } from './tasks.ts';

/** POST /music/persona/create (docs/gateway.md G10.1). */
export const createPersona = (state: State, request: Request, key: StoredKey): Answer => {
  const body = readBody(request.body, {
    root_clip_id: 'string',
    name: 'string',
    description: 'string',
    clips: 'array',
    is_public: 'bool',
  });
  if (typeof body === 'string') return badCall(body);
  const missing = state.variants.persona_fields.find((name) => body[name] === undefined);
  if (missing !== undefined) return badCall(`${missing} is required`);
  const rootId = textIn(body, 'root_clip_id');
  const clip = clipOf(state, rootId === '' ? 'clip-one' : rootId);
  if (clip === undefined) return badCall('root_clip_id: there is no such song');
  bookCall(state, key, models.musicPersona, { usage: {}, stream: false });
  const shown = personaClip(request, clip);
  return json(200, {
    id: `persona-${seedOf(`${clip.id}${textIn(body, 'name')}`)}`,
    name: textIn(body, 'name'),
    description: textIn(body, 'description'),
    image_s3_id: imageLink(request, seedOf(clip.id), 256, 256),
    root_clip_id: clip.id,
    clip: shown,
    user_display_name: 'Sandbox',
    user_handle: 'sandbox',
    user_image_url: imageLink(request, 7, 64, 64),
    persona_clips: [{ clip: shown, id: 1 }],
    is_service_persona: false,
    is_trashed: false,
    is_owned: true,
    is_public: body['is_public'] === true,
    is_public_approved: false,
    is_loved: false,
    upvote_count: 0,
    clip_count: 1,
  });
};

/** GET /music/feed/{clip_id} (docs/gateway.md G10.4). Omits unknown songs. */
export const feed = (state: State, request: Request): Answer => {
  const ids = request.id.split(state.variants.feed_separator);
  return json(
    200,
    ids.flatMap((id) => {
      const clip = clipOf(state, id);
      return clip === undefined ? [] : [feedClip(request, clip)];
    }),
  );
};

const submitted = (
  state: State,
  request: Request,
  key: StoredKey,
  task: { readonly action: string; readonly prompt: string; readonly clip?: string },
): Answer => {
  const { music_submission: code } = state.variants;
  if (code !== undefined) return json(200, { code, message: 'the song cannot be used', data: '' });
  const { id } = submitTask(state, key, models.musicTask, { kind: 'music', origin: request.origin, ...task });
  return json(200, { code: 'success', message: '', data: id });
};

/** POST /music/uploads/audio-url (docs/gateway.md G10.8). Does not fetch the file. */
export const uploadAudio = (state: State, request: Request, key: StoredKey): Answer => {
  const body = readBody(request.body, { url: 'string!' });
  if (typeof body === 'string') return badCall(body);
  const url = textIn(body, 'url');
  if (!URL.canParse(url) || isImage(url)) return badCall('url must be the address of an mp3 file');
  return submitted(state, request, key, { action: 'UPLOAD', prompt: url.split('/').at(-1) ?? '' });
};

/** POST /music/submit/concat (docs/gateway.md G10.9). */
export const concat = (state: State, request: Request, key: StoredKey): Answer => {
  const body = readBody(request.body, { clip_id: 'string!' });
  if (typeof body === 'string') return badCall(body);
  const clip = clipOf(state, textIn(body, 'clip_id'));
  if (clip === undefined) return badCall('clip_id: there is no such song');
  return submitted(state, request, key, { action: 'CONCAT', prompt: clip.title, clip: clip.id });
};

/** GET /music/fetch/{task_id} (docs/gateway.md G10.6). */
export const fetchMusicTask = (state: State, { id }: Request): Answer => {
  const task = state.tasks.get(id);
  return task?.kind === 'music'
    ? json(200, musicRecord(state, task))
    : json(200, { code: 'task_not_exist', message: 'there is no such task', data: null });
};
