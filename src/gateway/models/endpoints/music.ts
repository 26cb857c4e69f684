import { z } from 'zod';
import { defineModelEndpoint, type Refusal, type TaskId } from '../endpoint.ts';
import { each, flag, object, text, whole } from '../fields.ts';
import type { Served } from '../read-answer.ts';

/** docs/gateway.md G10.5 */
const feedClip = object({
  ...each(
    text,
    'audio_url',
    'avatar_image_url',
    'created_at',
    'display_name',
    'handle',
    'id',
    'image_large_url',
    'image_url',
    'major_model_version',
    'model_name',
    'status',
    'title',
    'video_url',
  ),
  ...each(flag, 'is_handle_updated', 'is_liked', 'is_public', 'is_trashed'),
  ...each(whole, 'play_count', 'upvote_count'),
  metadata: object({ duration: whole, ...each(text, 'prompt', 'stem_from_id', 'tags', 'type') }),
});

/** docs/gateway.md G10.3 */
const personaClip = object({
  ...each(
    text,
    'id',
    'entity_type',
    'video_url',
    'audio_url',
    'image_url',
    'image_large_url',
    'major_model_version',
    'model_name',
    'user_id',
    'display_name',
    'handle',
    'avatar_image_url',
    'display_tags',
    'created_at',
    'status',
    'title',
  ),
  ...each(flag, 'is_liked', 'is_handle_updated', 'is_trashed', 'is_public', 'allow_comments'),
  ...each(whole, 'flag_count', 'play_count', 'upvote_count'),
  metadata: object({
    ...each(text, 'tags', 'prompt', 'type'),
    ...each(whole, 'duration', 'priority'),
    ...each(flag, 'refund_credits', 'stream', 'can_remix', 'is_remix'),
  }),
});

/** docs/gateway.md G10.7 */
const musicSubmission = {
  answers: 'task' as const,
  answer: object({ code: text, message: text, data: text }),
  essential: ['code'],
  refusal: ({
    code,
    message,
  }: Served<{ code: string | null; message: string | null }>): Refusal | undefined =>
    code === 'success' ? undefined : { code: code ?? '', message: message ?? '' },
  task: ({ data }: Served<{ data: string | null }>): TaskId | undefined =>
    data == null || data === '' ? undefined : { kind: 'music', id: data },
};

/** docs/gateway.md G10.1. Which fields are required is open: the gateway decides. */
export const createPersona = defineModelEndpoint({
  name: 'create-persona',
  method: 'POST',
  path: '/music/persona/create',
  answers: 'json',
  statement: 'G10.1',
  summary: 'Create a persona, the voice and style of a song.',
  example: '{ "root_clip_id": "CLIP", "name": "Night driver", "is_public": false }',
  input: z.looseObject({
    root_clip_id: z.string().optional().describe('ID of the song that the persona is taken from'),
    name: z.string().optional().describe('name of the persona'),
    description: z.string().optional().describe('what it sounds like'),
    clips: z.array(z.unknown()).optional().describe('IDs of further songs').meta({ flag: 'clip' }),
    is_public: z.boolean().optional().describe('whether others can use it'),
  }),
  answer: object({
    ...each(text, 'id', 'name', 'description', 'image_s3_id', 'root_clip_id'),
    clip: personaClip,
    ...each(text, 'user_display_name', 'user_handle', 'user_image_url'),
    persona_clips: z.array(object({ clip: personaClip, id: whole })),
    ...each(
      flag,
      'is_service_persona',
      'is_trashed',
      'is_owned',
      'is_public',
      'is_public_approved',
      'is_loved',
    ),
    ...each(whole, 'upvote_count', 'clip_count'),
  }),
  essential: ['id'],
});

/** docs/gateway.md G10.8 */
export const uploadAudio = defineModelEndpoint({
  name: 'upload-audio',
  method: 'POST',
  path: '/music/uploads/audio-url',
  statement: 'G10.8',
  summary: 'Upload an mp3 file by its link.',
  example: '{ "url": "https://example.com/song.mp3" }',
  input: z.looseObject({ url: z.string().min(1).describe('address of an mp3 file') }),
  ...musicSubmission,
});

/** docs/gateway.md G10.9 */
export const concat = defineModelEndpoint({
  name: 'concat',
  method: 'POST',
  path: '/music/submit/concat',
  statement: 'G10.9',
  summary: 'Splice a song that was extended.',
  example: '{ "clip_id": "CLIP" }',
  input: z.looseObject({
    clip_id: z.string().min(1).describe('ID of the song after its extension'),
  }),
  ...musicSubmission,
});

const song = object(each(text, 'id', 'text', 'title', 'status'));

/** docs/gateway.md G10.6. `data` is null while the task is not known yet. */
export const musicTask = defineModelEndpoint({
  name: 'music-task',
  method: 'GET',
  path: '/music/fetch/{task_id}',
  answers: 'json',
  statement: 'G10.6',
  summary: 'Show a music task.',
  example: '{ "task_id": "TASK" }',
  input: z.looseObject({ task_id: z.string().min(1).describe('ID of the task') }),
  answer: object({
    code: text,
    message: text,
    data: object({
      ...each(text, 'task_id', 'notify_hook', 'action', 'status', 'fail_reason', 'progress'),
      ...each(whole, 'submit_time', 'start_time', 'finish_time'),
      // A task that makes several songs has a list of them.
      data: z.union([song, z.array(song)]).nullable(),
    }).nullable(),
  }),
  essential: ['code'],
  refusal: ({ code, message }) =>
    code === 'success' ? undefined : { code: code ?? '', message: message ?? '' },
  state: ({ data }) => ({
    status: data?.status ?? undefined,
    progress: data?.progress ?? undefined,
    failReason: data?.fail_reason ?? undefined,
  }),
});

/** docs/gateway.md G10.4. The separator is open; `joinedIds` uses the one that was seen. */
export const feed = defineModelEndpoint({
  name: 'feed',
  method: 'GET',
  path: '/music/feed/{clip_id}',
  answers: 'json',
  statement: 'G10.4',
  summary: 'Show songs by their IDs.',
  example: '{ "clip_id": "CLIP" }',
  input: z.looseObject({
    clip_id: z.string().min(1).describe('ID of a song, or several joined by commas'),
  }),
  answer: z.array(feedClip),
  essential: [],
});
