import type { z } from 'zod';
import type { Served } from './read-answer.ts';

/** What the task of a submission is called, and what kind it is. */
export type TaskId = { readonly kind: 'image' | 'music'; readonly id: string };

/** The state of a task, from the record of either kind. */
export type TaskState = {
  /** As served; undefined while the gateway does not know the task yet. */
  readonly status: string | undefined;
  /** `40%` */
  readonly progress: string | undefined;
  readonly failReason: string | undefined;
};

/** Where a refused submission says so: in fields of its own result. */
export type Refusal = { readonly code: string; readonly message: string };

type Parts<Input extends z.ZodObject, Answer extends z.ZodType> = {
  /** The name that `tollkeeper call` takes. */
  readonly name: string;
  readonly method: 'GET' | 'POST';
  /** Exact; `{name}` is replaced by the field of that name. */
  readonly path: string;
  /** Of docs/gateway.md. */
  readonly statement: `G${number}.${number}`;
  readonly summary: string;
  /**
   * `stream`: in events, where the input's `stream` asks for them. `task`: with the ID of a task, whose record is fetched
   * until it ends.
   */
  readonly answers: 'json' | 'stream' | 'task';
  /** All that a call takes; fields that are neither in the path nor in a header are its body. */
  readonly input: Input;
  /** A JSON file for `tollkeeper call NAME --input`, for its help. */
  readonly example: string;
  readonly answer: Answer;
  /** Fields without which the answer is of no use. */
  readonly essential: readonly string[];
  /** Fields that are sent as headers, under the same name with hyphens. */
  readonly headers?: readonly string[];
  /** Bytes of an answer that is held in memory; 16 MiB where it is missing. */
  readonly maxBytes?: number;
  /** Whether the answer can be an image or a sound itself. */
  readonly answersMedia?: boolean;
  /** Rules across fields, and limits. Returns what is wrong, as `input is empty`. */
  check?(input: z.output<Input>): readonly string[];
  /** Whether a header has an effect for this input; it is sent only then. */
  sendsHeaders?(input: z.output<Input>): boolean;
  /** Why a submission is refused, undefined when it is accepted. */
  refusal?(answer: Served<z.output<Answer>>): Refusal | undefined;
  /** Where an answer breaks a rule of the contract that no type expresses. */
  rules?(answer: Served<z.output<Answer>>): readonly string[];
  /** The task of an accepted submission. */
  task?(answer: Served<z.output<Answer>>): TaskId | undefined;
  /** The state of the task that was fetched. */
  state?(answer: Served<z.output<Answer>>): TaskState;
};

/** An endpoint of the model side: its types, its check, its flags and its documentation are derived from it. */
export type ModelEndpoint<
  Input extends z.ZodObject = z.ZodObject,
  Answer extends z.ZodType = z.ZodType,
> = Parts<Input, Answer>;

export const defineModelEndpoint = <Input extends z.ZodObject, Answer extends z.ZodType>(
  endpoint: Parts<Input, Answer>,
): ModelEndpoint<Input, Answer> => endpoint;

/** How a field of an input is given on a command line; the contract's own names are in JSON. */
export type FieldMeta = {
  /** Name of its flag, where another one than its own is clearer. */
  readonly flag?: string;
  /** The flag names a file, which is sent in base64 or as a data URI. */
  readonly file?: 'base64' | 'data-uri';
};
