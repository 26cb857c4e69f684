import { z } from 'zod';
import { fault, isFault, messageOf, type Fault, type FaultCode } from '../core/index.ts';

/** Each side names its version here. It must stay as it is, so that two versions can tell each other apart. */
export const versionHeader = 'tollkeeper-version';

/** Asked for with GET before any command, to see who listens. */
export const pingPath = '/ping';

/** How a command ended. */
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
 * An answer is lines of JSON, one event each; `end` is the last. What is inside a value is not checked: both sides are
 * of one version.
 */
export const eventShape = z.discriminatedUnion('event', [
  z.object({ event: z.literal('progress'), step: z.looseObject({ step: z.string() }) }),
  z.object({ event: z.literal('result'), result: z.unknown() }),
  z.object({ event: z.literal('alive') }),
  z.object({ event: z.literal('end'), outcome: outcomeShape }),
]);

export type WireEvent = z.infer<typeof eventShape>;

/** What crosses of an error: of a fault all that is told to people, of an unknown error its message alone. */
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

/** The error as it is thrown on this side. */
export const errorOfOutcome = (outcome: Exclude<Outcome, { end: 'value' }>): Error => {
  if (outcome.end === 'error') {
    const error = new Error(`the daemon failed unexpectedly: ${outcome.message}; see its log`);
    // The stack of this side would point at the wrong program.
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

export const versionsDiffer = (daemon: string, program: string): Fault =>
  fault('daemon-version-differs', `the daemon is version ${daemon} and this program is version ${program}`);

/** One line. Each string is redacted by itself, so that a secret can't tear the JSON around it. */
export const lineOf = (event: WireEvent, redact: (text: string) => string): string =>
  `${JSON.stringify(event, (_, value: unknown) => (typeof value === 'string' ? redact(value) : value))}\n`;
