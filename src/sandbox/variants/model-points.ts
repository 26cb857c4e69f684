import type { Point } from './point.ts';

/** The points that the contract leaves open about model endpoints (docs/gateway.md G9 to G15). */
export const modelPoints = {
  model_unavailable: {
    values: ['503', '404', '400'],
    default: '503',
    meaning: 'A model without a channel: 503 or 404 with the code model_not_found, or 400 with another code.',
    statement: 'G9.3',
  },
  callbacks: {
    values: ['each-change', 'lost'],
    default: 'each-change',
    meaning: 'A callback address is called once for each change of a task, or never.',
    statement: 'G9.4',
  },
  image_task_states: {
    values: ['plain', 'modal', 'unseen', 'lower-case'],
    default: 'plain',
    meaning: 'States of image tasks: the usual ones, also MODAL, also PAINTING, or in lower case.',
    statement: 'G9.5',
  },
  music_task_states: {
    values: ['plain', 'unknown'],
    default: 'plain',
    meaning: 'States of music tasks: the usual ones, or also UNKNOWN.',
    statement: 'G9.5',
  },
  task_outcome: {
    values: ['success', 'failure', 'cancel', 'endless'],
    default: 'success',
    meaning: 'How tasks end; endless ones never do. [fail], [cancel] and [endless] in a prompt do the same.',
    statement: 'G9.5',
  },
  persona_fields: {
    values: ['clip-and-name', 'all', 'none'],
    default: 'clip-and-name',
    meaning: 'The required fields of a persona: root_clip_id and name, all, or none.',
    statement: 'G10.1',
  },
  feed_separator: {
    values: ['comma', 'semicolon', 'space'],
    default: 'comma',
    meaning: 'What separates several IDs of the feed.',
    statement: 'G10.4',
  },
  music_task_times: {
    values: ['seconds', 'milliseconds'],
    default: 'seconds',
    meaning: 'The unit of the times of music tasks.',
    statement: 'G10.6',
  },
  music_task_data: {
    values: ['present', 'null-at-first'],
    default: 'present',
    meaning: 'A task that has just been submitted has a record, or data null.',
    statement: 'G10.6',
  },
  music_submission: {
    values: ['accepted', 'refused-word', 'refused-number'],
    default: 'accepted',
    meaning: 'Music submissions are accepted, or refused with a word or a number as code.',
    statement: 'G10.7',
  },
  missing_task: {
    values: ['404', 'null'],
    default: '404',
    meaning: 'An image task that does not exist: 404, or null under HTTP 200.',
    statement: 'G11.1',
  },
  image_task_times: {
    values: ['milliseconds', 'seconds'],
    default: 'milliseconds',
    meaning: 'The unit of the times of image tasks.',
    statement: 'G11.2',
  },
  image_task_nulls: {
    values: ['absent', 'present'],
    default: 'absent',
    meaning: 'Texts of an image task without a value are empty, or null.',
    statement: 'G11.2',
  },
  base64_images: {
    values: ['any', 'four'],
    default: 'any',
    meaning: 'The number of images in base64Array: any, or at most four.',
    statement: 'G11.6',
  },
  image_submission: {
    values: ['accepted', 'window-waiting', 'queued', 'queue-full', 'error'],
    default: 'accepted',
    meaning: 'The code of image submissions: 1, 21, 22, 23 or 4. The last two take on no task.',
    statement: 'G11.10',
  },
  image_sizes: {
    values: ['any', 'listed'],
    default: 'any',
    meaning: 'Sizes of generated images: any up to 2048, or three listed ones.',
    statement: 'G12.1',
  },
  image_items: {
    values: ['url', 'base64', 'both'],
    default: 'url',
    meaning: 'A generated image is a link, base64, or both.',
    statement: 'G12.2',
  },
  image_usage: {
    values: ['present', 'missing', 'partial', 'additional'],
    default: 'present',
    meaning: 'usage of a generated image: complete, missing, only the total, or with further fields.',
    statement: 'G12.2',
  },
  image_edit_fields: {
    values: ['prompt', 'prompt-and-image'],
    default: 'prompt',
    meaning: 'The required fields of an edit: the prompt, or also an image.',
    statement: 'G13.1',
  },
  image_edit_answer: {
    values: ['task', 'items', 'image'],
    default: 'task',
    meaning:
      'The answer to an edit: a task with a polling_url, a list as for generated images, or the image.',
    statement: 'G13.1',
  },
  message_parameters: {
    values: ['any', 'documented'],
    default: 'any',
    meaning: 'Parameters of chat messages beyond the documented ones are ignored, or refused.',
    statement: 'G14.1',
  },
  message_usage: {
    values: ['documented', 'cached', 'missing'],
    default: 'documented',
    meaning: 'usage of a message: the documented fields, also those of the cache, or missing.',
    statement: 'G14.3',
  },
  message_events: {
    values: ['named', 'unnamed', 'extended'],
    default: 'named',
    meaning:
      'Events of a streamed message: with their names, without, or with unknown kinds and fields between.',
    statement: 'G14.6',
  },
  embedding_encoding: {
    values: ['honored', 'float-only'],
    default: 'honored',
    meaning: 'encoding_format base64 is honored, or numbers are returned all the same.',
    statement: 'G15.3',
  },
  embedding_dimensions: {
    values: ['honored', 'refused'],
    default: 'honored',
    meaning: 'dimensions is honored, or refused with 400.',
    statement: 'G15.3',
  },
  embedding_usage: {
    values: ['present', 'missing'],
    default: 'present',
    meaning: 'usage of embeddings is there, or missing.',
    statement: 'G15.3',
  },
} as const satisfies Record<string, Point>;
