import type { Deps, Progress, Secret } from '../../core/index.ts';
import type { ModelAccess } from '../../app/index.ts';
import {
  callModel,
  fetchClips,
  streamMessage,
  waitForTask,
  type ModelEndpoint,
  type TaskId,
  type TaskRecord,
} from '../../gateway/index.ts';
import { waitForCost, type BookedCost, type CallTraits } from './wait-cost.ts';
import { saveMedia, type Media } from './media.ts';
import type { FileStore } from './save-files.ts';

export type CallRequest = {
  readonly endpoint: ModelEndpoint;
  readonly key: Secret;
  readonly input: Readonly<Record<string, unknown>>;
  /** Receives the text of a chat as it arrives; without it the answer is not streamed. */
  readonly onText?: ((text: string) => void) | undefined;
  /** Milliseconds to wait for a task; 0 to return with its ID. */
  readonly taskDeadline: number;
  /** Saves images and sounds; nothing is saved without it. */
  readonly store?: FileStore | undefined;
  /** Milliseconds to wait for the cost; 0 not to. */
  readonly costDeadline: number;
  /** Milliseconds until the answer must be complete. */
  readonly timeout?: number | undefined;
};

export type CallOutcome = {
  readonly answer: unknown;
  readonly deviations: readonly string[];
  readonly task: TaskId | undefined;
  readonly record: unknown;
  readonly media: readonly Media[];
  readonly cost: BookedCost | undefined;
};

type Numbers = Readonly<Record<string, unknown>>;

const numberIn = (fields: Numbers, name: string): number | undefined =>
  typeof fields[name] === 'number' ? fields[name] : undefined;

/** Candidates for the token counts in the log: with or without cache reads and writes. */
const tokensOf = (answer: unknown): Pick<CallTraits, 'promptTokens' | 'completionTokens'> => {
  const usage = ((answer as { readonly usage?: unknown } | undefined)?.usage ?? {}) as Numbers;
  const input = numberIn(usage, 'input_tokens') ?? numberIn(usage, 'prompt_tokens');
  const cached =
    (numberIn(usage, 'cache_read_input_tokens') ?? 0) + (numberIn(usage, 'cache_creation_input_tokens') ?? 0);
  return {
    promptTokens: input === undefined ? [] : [...new Set([input, input + cached])],
    completionTokens: numberIn(usage, 'output_tokens') ?? numberIn(usage, 'completion_tokens'),
  };
};

/** Replaces each mark of a saved file by its path. */
const withPaths = (value: unknown, paths: ReadonlyMap<string, string>): unknown => {
  if (typeof value === 'string') return paths.get(value) ?? value;
  if (Array.isArray(value)) return value.map((one) => withPaths(one, paths));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withPaths(part, paths)]));
};

const percent = /^(\d{1,3})%$/;

const showTask =
  (progress: Progress, { kind, id }: TaskId) =>
  ({ status, progress: done }: { status: string | undefined; progress: string | undefined }): void => {
    const share = percent.exec(done ?? '')?.[1];
    progress({
      step: `${kind} task ${id}`,
      ...(share === undefined ? {} : { done: Number(share), total: 100 }),
      detail: status ?? 'not known yet',
    });
  };

const valueOf = (task: TaskRecord): unknown => task.record.value;

/** The record of a finished music task only names the songs; the feed has their sound. */
const songIds = (task: TaskRecord): readonly string[] => {
  if (task.kind !== 'music') return [];
  const { data } = task.record.value.data ?? {};
  const songs = Array.isArray(data) ? data : [data];
  return songs.flatMap((song: { readonly id?: string | null } | null | undefined) =>
    song?.id == null || song.id === '' ? [] : [song.id],
  );
};

export const runCall = async (
  deps: Deps,
  access: ModelAccess,
  request: CallRequest,
  progress: Progress,
): Promise<CallOutcome> => {
  const { endpoint, key, input, store, onText } = request;
  const { models } = access;
  const { signal } = deps;
  const timeouts = request.timeout === undefined ? {} : { headers: request.timeout, total: request.timeout };
  const options = { signal, timeouts, store };
  const sentAt = deps.clock.now();

  const called = async () => {
    if (endpoint.answers === 'stream' && onText !== undefined)
      return {
        ...(await streamMessage(models, key, input as Parameters<typeof streamMessage>[2], onText, {
          signal,
          timeouts,
        })),
        blobs: new Map(),
      };
    const { clip_id: clips } = input;
    const ids = typeof clips === 'string' ? clips.split(',') : [];
    if (endpoint.name === 'feed' && ids.length > 1) return fetchClips(models, key, ids, options);
    return callModel(models, endpoint, key, input, options);
  };
  const first = await called();
  const task = endpoint.task?.(first.value);
  const waited =
    task === undefined || request.taskDeadline === 0
      ? undefined
      : await waitForTask(models, key, task, {
          signal,
          deadline: request.taskDeadline,
          onState: showTask(progress, task),
        });

  const results: { value: unknown; blobs: typeof first.blobs }[] = [
    first,
    ...(waited === undefined ? [] : [{ value: valueOf(waited), blobs: waited.record.blobs }]),
  ];
  const songs = waited === undefined || store === undefined ? [] : songIds(waited);
  if (songs.length > 0) results.push(await fetchClips(models, key, songs, { signal }));

  const media: Media[] = [];
  if (store !== undefined)
    for (const { value, blobs } of results)
      media.push(...(await saveMedia(access.links, value, blobs, store)));

  const model = input['model'];
  const served = (first.value as { readonly model?: unknown } | undefined)?.model;
  const traits: CallTraits = {
    sentAt,
    model: typeof served === 'string' ? served : typeof model === 'string' ? model : undefined,
    ...tokensOf(first.value),
  };
  const cost =
    request.costDeadline === 0
      ? undefined
      : await waitForCost(deps, access, traits, { deadline: request.costDeadline, progress });
  const paths = new Map(
    results.flatMap(({ blobs }) => [...blobs].map(([mark, { path }]) => [mark, path] as const)),
  );
  return {
    answer: withPaths(first.value, paths),
    deviations: [...first.deviations, ...(waited?.record.deviations ?? [])],
    task,
    record: waited === undefined ? undefined : withPaths(valueOf(waited), paths),
    media,
    cost,
  };
};
