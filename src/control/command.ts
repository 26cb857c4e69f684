import type { z } from 'zod';
import { fault, type Progress } from '../core/index.ts';

/** What a command sends before its answer. One that streams results streams progress, too. */
export type Streams = 'nothing' | 'progress' | 'results';

export type Command = { readonly input: z.ZodType; readonly streams: Streams };

/** Every command by its name. */
export type CommandTable = Readonly<Record<string, Command>>;

/** What a handler can be given besides its input. */
export type CommandContext<Result = unknown> = {
  /** Aborted when the caller goes away, and when the daemon stops. */
  readonly signal: AbortSignal;
  readonly progress: Progress;
  /** Sends a result that comes before the end. */
  readonly onResult: (result: Result) => void;
};

type ContextKeys = {
  readonly nothing: 'signal';
  readonly progress: 'signal' | 'progress';
  readonly results: 'signal' | 'progress' | 'onResult';
};

/** What the handler of a command is given, by what the command streams. */
export type ContextOf<Kind extends Streams, Result = unknown> = Pick<
  CommandContext<Result>,
  ContextKeys[Kind]
>;

export type InputOf<Table extends CommandTable, Name extends keyof Table> = z.infer<Table[Name]['input']>;

/** What carries out the commands of a table. All reject with a Fault. */
export type Handlers<Table extends CommandTable> = {
  readonly [Name in keyof Table]: (
    input: InputOf<Table, Name>,
    context: ContextOf<Table[Name]['streams']>,
  ) => Promise<unknown>;
};

type ResultOf<Handler> = Handler extends (input: never, context: CommandContext<infer Result>) => unknown
  ? Result
  : never;

/** Carries out a command by its name: in this process or in the daemon. What it streams and nobody listens to is dropped. */
export type Call<Table extends CommandTable, Given extends Handlers<Table>> = <
  Name extends keyof Table & string,
>(
  name: Name,
  input: InputOf<Table, Name>,
  options?: Partial<CommandContext<ResultOf<Given[Name]>>>,
) => Promise<Awaited<ReturnType<Given[Name]>>>;

/** An issue in words; of alternatives, what each of them lacks. */
const describeIssue = (issue: z.core.$ZodIssue): readonly string[] =>
  issue.code === 'invalid_union' && issue.errors.length > 0
    ? issue.errors.flatMap((issues) => issues.flatMap(describeIssue))
    : [`${issue.path.length === 0 ? '' : `${issue.path.join('.')}: `}${issue.message}`];

/** The input as the table declares it. @throws Fault wrong-use */
export const readInput = (name: string, { input }: Command, given: unknown): unknown => {
  const read = input.safeParse(given);
  if (read.success) return read.data;
  const problems = new Set(read.error.issues.flatMap(describeIssue));
  throw fault('wrong-use', `the command ${name} cannot take this input (${[...problems].join('; ')})`);
};

/** What the table says that the command streams, and nothing else. */
export const contextFor = (
  { streams }: Command,
  { signal, progress, onResult }: CommandContext,
): Partial<CommandContext> => ({
  signal,
  ...(streams === 'nothing' ? {} : { progress }),
  ...(streams === 'results' ? { onResult } : {}),
});

/** A handler as it is called once its input was read. */
export type RawHandler = (input: unknown, context: Partial<CommandContext>) => Promise<unknown>;

/** Nothing where the table has no such command. */
export const findCommand = <Table extends CommandTable>(
  table: Table,
  handlers: Handlers<Table>,
  name: string,
): { readonly command: Command; readonly handler: RawHandler } | undefined => {
  const command = Object.hasOwn(table, name) ? table[name] : undefined;
  // The table says what each handler takes; it is read by that before the handler is called.
  return command === undefined ? undefined : { command, handler: handlers[name] as RawHandler };
};
