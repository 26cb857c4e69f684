import type { z } from 'zod';
import { fault, issueText, type Progress } from '../core/index.ts';

/** What a command sends before its answer. A command that streams results also streams progress. */
export type Streams = 'nothing' | 'progress' | 'results';

export type Command = { readonly input: z.ZodType; readonly streams: Streams };

export type CommandTable = Readonly<Record<string, Command>>;

export type CommandContext<Result = unknown> = {
  /** Aborted when the caller disconnects, and when the daemon stops. */
  readonly signal: AbortSignal;
  readonly progress: Progress;
  /** Sends a result before the end. */
  readonly onResult: (result: Result) => void;
};

type ContextKeys = {
  readonly nothing: 'signal';
  readonly progress: 'signal' | 'progress';
  readonly results: 'signal' | 'progress' | 'onResult';
};

export type ContextOf<Kind extends Streams, Result = unknown> = Pick<
  CommandContext<Result>,
  ContextKeys[Kind]
>;

export type InputOf<Table extends CommandTable, Name extends keyof Table> = z.infer<Table[Name]['input']>;

/** All reject with a Fault. */
export type Handlers<Table extends CommandTable> = {
  readonly [Name in keyof Table]: (
    input: InputOf<Table, Name>,
    context: ContextOf<Table[Name]['streams']>,
  ) => Promise<unknown>;
};

type ResultOf<Handler> = Handler extends (input: never, context: CommandContext<infer Result>) => unknown
  ? Result
  : never;

/** Runs a command by name, in this process or in the daemon. Events without a listener are dropped. */
export type Call<Table extends CommandTable, Given extends Handlers<Table>> = <
  Name extends keyof Table & string,
>(
  name: Name,
  input: InputOf<Table, Name>,
  options?: Partial<CommandContext<ResultOf<Given[Name]>>>,
) => Promise<Awaited<ReturnType<Given[Name]>>>;

/** For a union, the issues of each alternative. */
const describeIssue = (issue: z.core.$ZodIssue): readonly string[] =>
  issue.code === 'invalid_union' && issue.errors.length > 0
    ? issue.errors.flatMap((issues) => issues.flatMap(describeIssue))
    : [issueText(issue)];

/** Parses the input with the command's schema. @throws Fault wrong-use */
export const readInput = (name: string, { input }: Command, given: unknown): unknown => {
  const read = input.safeParse(given);
  if (read.success) return read.data;
  const problems = new Set(read.error.issues.flatMap(describeIssue));
  throw fault('wrong-use', `the command ${name} cannot take this input (${[...problems].join('; ')})`);
};

/** Only the events that the table declares for the command. */
export const contextFor = (
  { streams }: Command,
  { signal, progress, onResult }: CommandContext,
): Partial<CommandContext> => ({
  signal,
  ...(streams === 'nothing' ? {} : { progress }),
  ...(streams === 'results' ? { onResult } : {}),
});

/** A handler called with parsed input. */
export type RawHandler = (input: unknown, context: Partial<CommandContext>) => Promise<unknown>;

export const findCommand = <Table extends CommandTable>(
  table: Table,
  handlers: Handlers<Table>,
  name: string,
): { readonly command: Command; readonly handler: RawHandler } | undefined => {
  const command = Object.hasOwn(table, name) ? table[name] : undefined;
  // The input is parsed with the command's schema before the handler is called.
  return command === undefined ? undefined : { command, handler: handlers[name] as RawHandler };
};
