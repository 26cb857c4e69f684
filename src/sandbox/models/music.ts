import { json, type Answer } from '../answer.ts';
import type { Request } from '../request.ts';
import type { State } from '../state.ts';
import { models } from '../traffic/models.ts';
import { imageLink, seedOf } from './files.ts';
import { bookCall, modelCall, type Call } from './model-call.ts';
import { isImage, textIn } from './read-body.ts';
import { clipOf, feedClip, musicRecord, personaClip } from './songs.ts';
import type { Task } from './task.ts';
import { submitTask } from './tasks.ts';

const persona = {
  root_clip_id: 'string',
  name: 'string',
  description: 'string',
  clips: 'array',
  is_public: 'bool',
} as const;

/** POST /music/persona/create (docs/gateway.md G10.1). */
export const createPersona = modelCall(persona, (call) => {
  const { state, request, body } = call;
  const missing = state.variants.persona_fields.find((name) => body[name] === undefined);
  if (missing !== undefined) return `${missing} is required`;
  const clip = clipOf(state, textIn(body, 'root_clip_id') || 'clip-one');
  if (clip === undefined) return 'root_clip_id: there is no such song';
  bookCall(call, models.musicPersona);
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
});

/** GET /music/feed/{clip_id} (docs/gateway.md G10.4). Omits unknown songs. */
export const feed = (state: State, request: Request): Answer => {
  const clips = request.id.split(state.variants.feed_separator).map((id) => clipOf(state, id));
  return json(
    200,
    clips.flatMap((clip) => (clip === undefined ? [] : [feedClip(request, clip)])),
  );
};

const submitted = (call: Call, task: Pick<Task, 'action' | 'prompt'> & Partial<Task>): Answer => {
  const { music_submission: code } = call.state.variants;
  if (code !== undefined) return json(200, { code, message: 'the song cannot be used', data: '' });
  const { id } = submitTask(call, models.musicTask, { kind: 'music', ...task });
  return json(200, { code: 'success', message: '', data: id });
};

/** POST /music/uploads/audio-url (docs/gateway.md G10.8). Does not fetch the file. */
export const uploadAudio = modelCall({ url: 'string!' }, (call) => {
  const url = textIn(call.body, 'url');
  if (!URL.canParse(url) || isImage(url)) return 'url must be the address of an mp3 file';
  return submitted(call, { action: 'UPLOAD', prompt: url.split('/').at(-1) ?? '' });
});

/** POST /music/submit/concat (docs/gateway.md G10.9). */
export const concat = modelCall({ clip_id: 'string!' }, (call) => {
  const clip = clipOf(call.state, textIn(call.body, 'clip_id'));
  if (clip === undefined) return 'clip_id: there is no such song';
  return submitted(call, { action: 'CONCAT', prompt: clip.title, clip: clip.id });
});

/** GET /music/fetch/{task_id} (docs/gateway.md G10.6). */
export const fetchMusicTask = (state: State, { id }: Request): Answer => {
  const task = state.tasks.get(id);
  return task?.kind === 'music'
    ? json(200, musicRecord(state, task))
    : json(200, { code: 'task_not_exist', message: 'there is no such task', data: null });
};
