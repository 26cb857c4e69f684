import type { Json } from '../exact-json.ts';
import type { Step } from '../models/task.ts';
import { point } from './point.ts';

const details = {
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 0,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
} as const;

const totalsOf = (prompt: number, completion: number) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
});

type Steps = readonly Step[];

/** The members of an answer that show its tokens. */
type Usage = { readonly usage?: Json };

type MessageCounts = { readonly input_tokens: number; readonly output_tokens: number };

/** Members of a streamed event, and text after a ping. */
const extended = {
  name: (kind: string) => `event: ${kind}\n`,
  members: { trace: { region: 'eu', attempt: 1 } },
  afterPing: ': a comment\n\nevent: vendor_progress\ndata: {"type":"vendor_progress","percent":10}\n\n',
} as const;

/** What the contract leaves open about model endpoints (docs/gateway.md G9 to G15). */
export const modelPoints = {
  model_key_errors: point('G9.2', { 401: 401, 403: 403 })(
    'HTTP status for wrong, expired, exhausted and disabled keys in model calls.',
  ),
  model_unavailable: point('G9.3', ['503', '404', '400'])(
    'A model without a channel: 503 or 404 with the code model_not_found, or 400 with another code.',
  ),
  callbacks: point('G9.4', { 'each-change': true, lost: false })(
    'A callback address is called once for each change of a task, or never.',
  ),
  image_task_states: point('G9.5', {
    plain: (steps: Steps) => steps,
    modal: (steps: Steps): Steps => [...steps, [700, 'MODAL', 0]],
    unseen: (steps: Steps): Steps => [...steps, [2500, 'PAINTING', 30]],
    'lower-case': (steps: Steps): Steps =>
      steps.map(([after, status, progress]) => [after, status.toLowerCase(), progress]),
  })('States of image tasks: the usual ones, also MODAL, also PAINTING, or in lower case.'),
  music_task_states: point('G9.5', {
    plain: (steps: Steps) => steps,
    unknown: (steps: Steps): Steps => [...steps, [1500, 'UNKNOWN', 0]],
  })('States of music tasks: the usual ones, or also UNKNOWN.'),
  task_outcome: point('G9.5', ['success', 'failure', 'cancel', 'endless'])(
    'How tasks end; endless ones never do. [fail], [cancel] and [endless] in a prompt do the same.',
  ),
  persona_fields: point('G10.1', {
    'clip-and-name': ['root_clip_id', 'name'],
    all: ['root_clip_id', 'name', 'description', 'clips', 'is_public'],
    none: [],
  })('The required fields of a persona: root_clip_id and name, all, or none.'),
  feed_separator: point('G10.4', { comma: ',', semicolon: ';', space: ' ' })(
    'What separates several IDs of the feed.',
  ),
  music_task_times: point('G10.6', { seconds: 1000, milliseconds: 1 })(
    'The unit of the times of music tasks.',
  ),
  music_task_data: point('G10.6', ['present', 'null-at-first'])(
    'A task that has just been submitted has a record, or data null.',
  ),
  music_submission: point('G10.7', {
    accepted: undefined,
    'refused-word': 'invalid_request',
    'refused-number': '1001',
  })('Music submissions are accepted, or refused with a word or a number as code.'),
  missing_task: point('G11.1', ['404', 'null'])(
    'An image task that does not exist: 404, or null under HTTP 200.',
  ),
  image_task_times: point('G11.2', { milliseconds: 1, seconds: 1000 })(
    'The unit of the times of image tasks.',
  ),
  image_task_nulls: point('G11.2', { absent: '', present: null })(
    'Texts of an image task without a value are empty, or null.',
  ),
  base64_images: point('G11.6', { any: Infinity, four: 4 })(
    'The number of images in base64Array: any, or at most four.',
  ),
  image_submission: point('G11.10', {
    accepted: [1, 'Submit success'],
    'window-waiting': [21, 'a window has to be confirmed'],
    queued: [22, 'queued, 3 tasks are before it'],
    'queue-full': [23, 'the queue is full, try again later'],
    error: [4, 'banned prompt'],
  })('The code of image submissions: 1, 21, 22, 23 or 4. The last two take on no task.'),
  image_sizes: point('G12.1', { any: undefined, listed: ['1024x1024', '1024x1536', '1536x1024'] })(
    'Sizes of generated images: any up to 2048, or three listed ones.',
  ),
  image_items: point('G12.2', { url: ['url'], base64: ['b64_json'], both: ['url', 'b64_json'] })(
    'A generated image is a link, base64, or both.',
  ),
  image_usage: point('G12.2', {
    present: (prompt: number, completion: number): Usage => ({
      usage: { ...totalsOf(prompt, completion), ...details },
    }),
    missing: (): Usage => ({}),
    partial: (prompt: number, completion: number): Usage => ({
      usage: { total_tokens: prompt + completion },
    }),
    additional: (prompt: number, completion: number): Usage => ({
      usage: {
        ...totalsOf(prompt, completion),
        ...details,
        input_tokens: prompt,
        output_tokens: completion,
        image_tokens: completion,
      },
    }),
  })('usage of a generated image: complete, missing, only the total, or with further fields.'),
  image_edit_fields: point('G13.1', ['prompt', 'prompt-and-image'])(
    'The required fields of an edit: the prompt, or also an image.',
  ),
  image_edit_answer: point('G13.1', ['task', 'items', 'image'])(
    'The answer to an edit: a task with a polling_url, a list as for generated images, or the image.',
  ),
  message_parameters: point('G14.1', ['any', 'documented'])(
    'Parameters of chat messages beyond the documented ones are ignored, or refused.',
  ),
  message_usage: point('G14.3', {
    documented: (counts: MessageCounts) => counts,
    cached: (counts: MessageCounts, cached: number) => ({
      ...counts,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: cached,
    }),
    missing: undefined,
  })('usage of a message: the documented fields, also those of the cache, or missing.'),
  message_events: point('G14.6', {
    named: { ...extended, members: {}, afterPing: '' },
    unnamed: { name: () => '', members: {}, afterPing: '' },
    extended,
  })('Events of a streamed message: with their names, without, or with unknown kinds and fields between.'),
  embedding_encoding: point('G15.3', { honored: true, 'float-only': false })(
    'encoding_format base64 is honored, or numbers are returned all the same.',
  ),
  embedding_dimensions: point('G15.3', ['honored', 'refused'])('dimensions is honored, or refused with 400.'),
  embedding_usage: point('G15.3', { present: true, missing: false })(
    'usage of embeddings is there, or missing.',
  ),
};
