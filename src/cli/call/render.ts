import { countText, sizeText } from '../../core/index.ts';
import { embeddingNumbers, stopReasons, type ModelEndpoint, type TaskId } from '../../gateway/index.ts';
import type { Screen } from '../ui/paint.ts';
import { tableLines } from '../ui/table.ts';
import { oneLine } from '../ui/text.ts';
import { costText } from './wait-cost.ts';
import type { CallOutcome } from './run-call.ts';
import type { Media } from './media.ts';

/** Seconds stay below this until the year 5138; milliseconds have been above it since 1973. */
const firstMillis = 100_000_000_000;

/** The latest time of a `Date`, in milliseconds. */
const latest = 8.64e15;

/**
 * A task time in UTC: gateways use seconds or milliseconds (docs/gateway.md G10.6, G11.2). Undefined for 0, which means
 * "not yet", and for invalid times.
 */
const taskTime = (value: unknown): string | undefined => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value <= 0) return undefined;
  const millis = value < firstMillis ? value * 1000 : value;
  return millis > latest ? undefined : new Date(millis).toISOString().replace('.000Z', 'Z');
};

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined;

/** `name  value`, one per line, for fields with a value. */
const lines = (record: Fields, names: readonly string[]): readonly string[] => {
  const shown = names.flatMap((name) => {
    const text = textOf(record[name]);
    return text === undefined ? [] : [[name, text] as const];
  });
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown.map(([name, text]) => `${name.padEnd(width)}  ${oneLine(text)}`);
};

const usageText = (answer: Fields): readonly string[] => {
  const usage = fieldsOf(answer['usage']);
  const input = usage['input_tokens'] ?? usage['prompt_tokens'];
  const output = usage['output_tokens'] ?? usage['completion_tokens'];
  if (typeof input !== 'number') return [];
  return [`tokens: ${input} input${typeof output === 'number' ? `, ${output} output` : ''}`];
};

const messageLines = (answer: Fields, wasStreamed: boolean): readonly string[] => {
  const texts = listOf(answer['content']).flatMap((block) => textOf(fieldsOf(block)['text']) ?? []);
  const stop = textOf(answer['stop_reason']);
  const meaning = stop === undefined ? undefined : stopReasons[stop];
  return [
    ...(wasStreamed ? [] : texts),
    '',
    ...(stop === undefined || stop === 'end_turn'
      ? []
      : [`stopped: ${stop}${meaning === undefined ? '' : `, ${meaning}`}`]),
    ...usageText(answer),
  ];
};

const embeddingLines = (answer: Fields): readonly string[] => [
  ...listOf(answer['data'])
    .slice(0, 20)
    .flatMap((item, at) => {
      const { embedding } = fieldsOf(item);
      if (typeof embedding !== 'string' && !Array.isArray(embedding)) return [];
      const numbers = embeddingNumbers(embedding as string | readonly number[]);
      if (numbers === undefined) return [`${at}: not readable`];
      const start = numbers.slice(0, 4).map((one) => one.toPrecision(4));
      return [
        `${at}: ${countText(numbers.length, 'number')}: ${start.join(', ')}${numbers.length > 4 ? ', …' : ''}`,
      ];
    }),
  ...usageText(answer),
];

/** Adds readable times under separate names, and keeps the raw ones. */
const withTimes = (record: Fields, names: readonly string[]): Fields => ({
  ...record,
  ...Object.fromEntries(
    ['submitted', 'started', 'finished'].map((shown, at) => [shown, taskTime(record[names[at] ?? ''])]),
  ),
});

const times = ['submitted', 'started', 'finished'];

const imageTaskLines = (task: Fields, screen: Screen): readonly string[] => {
  const record = withTimes(task, ['submitTime', 'startTime', 'finishTime']);
  const buttons = listOf(record['buttons']).map(fieldsOf);
  return [
    ...lines(record, [
      'id',
      'action',
      'status',
      'progress',
      'prompt',
      'promptEn',
      'description',
      'failReason',
      ...times,
      'imageUrl',
      'videoUrl',
    ]),
    ...(buttons.length === 0
      ? []
      : [
          '',
          ...tableLines(
            [{ title: 'ACTION' }, { title: 'CUSTOM ID' }],
            buttons.map((button) => ({
              cells: [
                textOf(button['label']) ?? textOf(button['emoji']) ?? '',
                textOf(button['customId']) ?? '',
              ],
            })),
            screen,
          ),
        ]),
  ];
};

const musicTaskLines = (record: Fields): readonly string[] => {
  const data = withTimes(fieldsOf(record['data']), ['submit_time', 'start_time', 'finish_time']);
  const inner = data['data'];
  const songs = (Array.isArray(inner) ? inner : [inner]).map(fieldsOf);
  return [
    ...lines(data, ['task_id', 'action', 'status', 'progress', 'fail_reason', ...times]),
    ...songs.flatMap((song) => lines(song, ['id', 'title', 'status'])),
  ];
};

const feedLines = (answer: unknown, screen: Screen): readonly string[] =>
  tableLines(
    [
      { title: 'ID' },
      { title: 'TITLE' },
      { title: 'STATUS' },
      { title: 'SECONDS', spare: 1 },
      { title: 'SOUND', spare: 2 },
    ],
    listOf(answer).map((clip) => {
      const fields = fieldsOf(clip);
      return {
        cells: [
          textOf(fields['id']) ?? '',
          textOf(fields['title']) ?? '',
          textOf(fields['status']) ?? '',
          textOf(fieldsOf(fields['metadata'])['duration']) ?? '',
          textOf(fields['audio_url']) ?? '',
        ],
      };
    }),
    screen,
  );

const mediaLines = (media: readonly Media[]): readonly string[] =>
  media.map((one) =>
    'saved' in one
      ? `saved ${one.saved.path} (${sizeText(one.saved.bytes)})`
      : `not saved: ${one.field}${one.link === '' ? '' : ` ${one.link}`}: ${one.problem}`,
  );

const recordLines = (kind: TaskId['kind'], record: unknown, screen: Screen): readonly string[] =>
  kind === 'music' ? musicTaskLines(fieldsOf(record)) : imageTaskLines(fieldsOf(record), screen);

const editedImageLines = (answer: Fields): readonly string[] => {
  const polled = textOf(answer['polling_url']);
  return [
    ...lines(answer, ['id', 'status']),
    ...(polled === undefined ? [] : [`the result will be at ${polled}`]),
  ];
};

/** By endpoint; others show their fields. */
const renderers: Readonly<Record<string, (answer: unknown, screen: Screen) => readonly string[]>> = {
  embeddings: (answer) => embeddingLines(fieldsOf(answer)),
  feed: feedLines,
  'image-task': (answer, screen) => recordLines('image', answer, screen),
  'music-task': (answer, screen) => recordLines('music', answer, screen),
  'generate-image': (answer) => usageText(fieldsOf(answer)),
  'edit-image': (answer) => editedImageLines(fieldsOf(answer)),
  'upload-images': (answer) => listOf(fieldsOf(answer)['result']).flatMap((link) => textOf(link) ?? []),
};

const answerLines = (
  { name, answers }: ModelEndpoint,
  { answer, record, task }: CallOutcome,
  wasStreamed: boolean,
  screen: Screen,
): readonly string[] => {
  if (answers === 'stream') return messageLines(fieldsOf(answer), wasStreamed);
  if (task === undefined) {
    const fields = fieldsOf(answer);
    return renderers[name]?.(answer, screen) ?? lines(fields, Object.keys(fields));
  }
  if (record !== undefined) return recordLines(task.kind, record, screen);
  return [
    `${task.kind} task ${task.id}`,
    `show it with: tollkeeper call ${task.kind}-task --${task.kind === 'music' ? 'task-id' : 'id'} ${task.id}`,
  ];
};

/** A streamed chat is on the terminal already. */
export const renderCall = (
  endpoint: ModelEndpoint,
  outcome: CallOutcome,
  wasStreamed: boolean,
  screen: Screen,
): string => {
  const all = [
    ...answerLines(endpoint, outcome, wasStreamed, screen),
    ...mediaLines(outcome.media),
    ...(outcome.cost === undefined ? [] : [costText(outcome.cost)]),
  ];
  return all.length === 0 ? '' : `${all.join('\n')}\n`;
};

export const callJson = (endpoint: ModelEndpoint, outcome: CallOutcome) => ({
  endpoint: endpoint.name,
  request: `${endpoint.method} ${endpoint.path}`,
  answer: outcome.answer,
  ...(outcome.task === undefined ? {} : { task: outcome.task }),
  ...(outcome.record === undefined ? {} : { record: outcome.record }),
  deviations: outcome.deviations,
  saved: outcome.media.flatMap((one) => ('saved' in one ? [{ field: one.field, ...one.saved }] : [])),
  not_saved: outcome.media.flatMap((one) => ('saved' in one ? [] : [one])),
  ...(outcome.cost === undefined ? {} : { cost: outcome.cost }),
});
