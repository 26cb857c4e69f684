import { z } from 'zod';
import { fault, isFault, messageOf, type Fault, type FaultCode } from '../core/index.ts';
import type { CommandContext } from './command.ts';

/** The header with the version of each side. It must never change, so that different versions can detect each other. */
export const versionHeader = 'tollkeeper-version';

/** Requested by GET before any command, to identify the listener. */
export const pingPath = '/ping';

export type Outcome =
  | { readonly end: 'value'; readonly value?: unknown }
  | { readonly end: 'fault'; readonly fault: FaultOnWire }
  | { readonly end: 'error'; readonly message: string };

export type FaultOnWire = z.infer<typeof faultShape>;

const faultShape = z.object({
  code: z.string(),
  message: z.string(),
  advice: z.string(),
  retryHelps: z.boolean(),
  exitCode: z.union([z.literal(1), z.literal(2)]),
  retryAfter: z.optional(z.number()),
});

const outcomeShape = z.discriminatedUnion('end', [
  z.object({ end: z.literal('value'), value: z.optional(z.unknown()) }),
  z.object({ end: z.literal('fault'), fault: faultShape }),
  z.object({ end: z.literal('error'), message: z.string() }),
]);

/**
 * An answer is a sequence of JSON lines, one event each; `end` is the last. Values are not validated: both sides have the same
 * version.
 */
const eventShape = z.discriminatedUnion('event', [
  z.object({ event: z.literal('progress'), step: z.looseObject({ step: z.string() }) }),
  z.object({ event: z.literal('result'), result: z.unknown() }),
  z.object({ event: z.literal('alive') }),
  z.object({ event: z.literal('end'), outcome: outcomeShape }),
]);

export type WireEvent = z.infer<typeof eventShape>;

/** @throws when it is none */
export const readEvent = (line: string): WireEvent => eventShape.parse(JSON.parse(line));

/** Passes an event before the end to the caller of the command. */
export const passEvent = (
  event: Exclude<WireEvent, { event: 'end' }>,
  { progress, onResult }: Partial<CommandContext>,
): void => {
  if (event.event === 'progress') progress?.(event.step);
  if (event.event === 'result') onResult?.(event.result);
};

/** Sends all fields of a fault that people see, and only the message of an unknown error. */
export const outcomeOfError = (error: unknown): Outcome =>
  isFault(error)
    ? {
        end: 'fault',
        fault: {
          code: error.code,
          message: error.message,
          advice: error.advice,
          retryHelps: error.retryHelps,
          exitCode: error.exitCode,
          retryAfter: error.retryAfter,
        },
      }
    : { end: 'error', message: messageOf(error) };

const errorOfOutcome = (outcome: Exclude<Outcome, { end: 'value' }>): Error => {
  if (outcome.end === 'error') {
    const error = new Error(`the daemon failed unexpectedly: ${outcome.message}; see its log`);
    // The stack of this process would point at the wrong program.
    delete error.stack;
    return error;
  }
  const { message, code, ...rest } = outcome.fault;
  const revived: Fault = Object.assign(new Error(message), {
    name: 'Fault' as const,
    code: code as FaultCode,
    ...rest,
  });
  return revived;
};

/** @throws the error of the command */
export const valueOf = (outcome: Outcome): unknown => {
  if (outcome.end === 'value') return outcome.value;
  throw errorOfOutcome(outcome);
};

export const versionsDiffer = (daemon: string, program: string): Fault =>
  fault('daemon-version-differs', `the daemon is version ${daemon} and this program is version ${program}`);

/** One line. Each string is redacted separately, so that a replaced secret cannot break the JSON. */
export const lineOf = (event: WireEvent, redact: (text: string) => string): string =>
  `${JSON.stringify(event, (_, value: unknown) => (typeof value === 'string' ? redact(value) : value))}\n`;
