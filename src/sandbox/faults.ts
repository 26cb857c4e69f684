import { isRecord, wholeParameter } from './request.ts';

/** Faults to inject. Rows are data rows after the header; bodies other than CSV are cut in the middle. */
export type Effect =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly body?: string;
      readonly contentType?: string;
      readonly retryAfter?: string;
    }
  /** Sends the whole answer after a delay. */
  | { readonly kind: 'delay'; readonly millis: number }
  /** Ends the body within a row: destroys the socket, or ends cleanly. */
  | { readonly kind: 'cut-off'; readonly rows: number; readonly end: 'destroyed' | 'clean' }
  /** Ends the body cleanly after some whole rows, as if there were no more. */
  | { readonly kind: 'short'; readonly rows: number }
  /** HTTP 200 and an envelope with success false. */
  | { readonly kind: 'envelope'; readonly message?: string }
  | { readonly kind: 'html'; readonly status?: number }
  /** 429, an empty body and no Retry-After. */
  | { readonly kind: 'rate-limit' }
  /** Sends the body in pieces of `bytes` bytes, with a pause before each. */
  | { readonly kind: 'drip'; readonly bytes: number; readonly millis: number }
  /** Stops the body after some rows and keeps the connection open. */
  | { readonly kind: 'stall'; readonly rows: number }
  /** Resets the connection before an answer; the request has no effect. */
  | { readonly kind: 'reset' }
  | { readonly kind: 'redirect'; readonly location: string; readonly status?: number }
  /** The request takes effect, but the connection drops before the answer. */
  | { readonly kind: 'lost-answer' }
  /** The connection drops, and the request takes effect `millis` later. */
  | { readonly kind: 'late-effect'; readonly millis: number }
  /** The request takes effect and is answered, but key lists show it only `millis` later. */
  | { readonly kind: 'late-listing'; readonly millis: number }
  /** Creates and removes other keys after the answer, so that lists change between two pages. */
  | { readonly kind: 'churn'; readonly add: number; readonly remove: number };

/** An effect, and the requests that it applies to. */
export type Fault = Effect & {
  readonly method?: string;
  /** Prefix of the path. */
  readonly path?: string;
  /** Number of matching requests affected; defaults to 1. */
  readonly times?: number;
  /** Number of matching requests that pass first. */
  readonly skip?: number;
  /** Only requests for a longer range, in the unit of their start_timestamp and end_timestamp. */
  readonly longerThan?: number;
};

export type Faults = {
  plant(fault: Fault): void;
  pending(): readonly Fault[];
  clear(): void;
  /** The effect for a request, which uses it up. */
  take(method: string, path: string, query?: URLSearchParams): Effect | undefined;
};

const lengthOf = (query: URLSearchParams | undefined): number =>
  query === undefined
    ? 0
    : (wholeParameter(query, 'end_timestamp') ?? 0) - (wholeParameter(query, 'start_timestamp') ?? 0);

export const createFaults = (): Faults => {
  let planted: { fault: Fault; skip: number; times: number }[] = [];
  return {
    plant(fault) {
      planted.push({ fault, skip: fault.skip ?? 0, times: fault.times ?? 1 });
    },
    pending: () => planted.map(({ fault, skip, times }) => ({ ...fault, skip, times })),
    clear() {
      planted = [];
    },
    take(method, path, query) {
      for (const one of planted) {
        const { fault } = one;
        const meant = (fault.method ?? method) === method && path.startsWith(fault.path ?? '');
        const long = fault.longerThan === undefined || lengthOf(query) > fault.longerThan;
        if (!meant || !long) continue;
        if (one.skip > 0) {
          one.skip -= 1;
          continue;
        }
        one.times -= 1;
        planted = planted.filter(({ times }) => times > 0);
        return fault;
      }
      return undefined;
    },
  };
};

type Check = 'number' | 'string' | 'end';
const fields: Readonly<Record<Effect['kind'], Readonly<Record<string, Check>>>> = {
  status: { status: 'number' },
  delay: { millis: 'number' },
  'cut-off': { rows: 'number', end: 'end' },
  short: { rows: 'number' },
  envelope: {},
  html: {},
  'rate-limit': {},
  drip: { bytes: 'number', millis: 'number' },
  stall: { rows: 'number' },
  reset: {},
  redirect: { location: 'string' },
  'lost-answer': {},
  'late-effect': { millis: 'number' },
  'late-listing': { millis: 'number' },
  churn: { add: 'number', remove: 'number' },
};
const optional: Readonly<Record<string, Check>> = {
  method: 'string',
  path: 'string',
  times: 'number',
  skip: 'number',
  longerThan: 'number',
  body: 'string',
  contentType: 'string',
  retryAfter: 'string',
  message: 'string',
  status: 'number',
};

const fits = (check: Check, value: unknown): boolean => {
  if (check === 'end') return value === 'destroyed' || value === 'clean';
  return check === 'number' ? Number.isSafeInteger(value) && Number(value) >= 0 : typeof value === 'string';
};

export const parseFault = (value: unknown): Fault | string => {
  if (!isRecord(value)) return 'a fault is a JSON object';
  const { kind } = value;
  if (typeof kind !== 'string' || !Object.hasOwn(fields, kind))
    return `kind must be one of ${Object.keys(fields).join(', ')}`;
  const needed = fields[kind as Effect['kind']];
  for (const [name, check] of Object.entries(needed)) {
    if (!fits(check, value[name]))
      return `${kind} needs ${name} (${check === 'end' ? 'destroyed or clean' : check})`;
  }
  for (const [name, given] of Object.entries(value)) {
    const check = needed[name] ?? optional[name];
    if (name !== 'kind' && (check === undefined || !fits(check, given))) return `${name} is not understood`;
  }
  return value as Fault;
};
