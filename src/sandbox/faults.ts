import { isRecord, wholeParameter } from './request.ts';

/** What goes wrong. Rows are data rows after the header; bodies that are no CSV are cut in their middle. */
export type Effect =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly body?: string;
      readonly contentType?: string;
      readonly retryAfter?: string;
    }
  /** The answer comes whole, but only after some milliseconds. */
  | { readonly kind: 'delay'; readonly millis: number }
  /** The body ends in the middle of a row: the socket destroyed, or as if it were complete. */
  | { readonly kind: 'cut-off'; readonly rows: number; readonly end: 'destroyed' | 'clean' }
  /** The body ends cleanly after some whole rows, as if there were no more. */
  | { readonly kind: 'short'; readonly rows: number }
  /** HTTP 200 and an envelope with success false. */
  | { readonly kind: 'envelope'; readonly message?: string }
  | { readonly kind: 'html'; readonly status?: number }
  /** 429, an empty body and no Retry-After. */
  | { readonly kind: 'rate-limit' }
  /** The body in pieces of some bytes, a pause before each. */
  | { readonly kind: 'drip'; readonly bytes: number; readonly millis: number }
  /** The body stops after some rows and the connection stays open, idle. */
  | { readonly kind: 'stall'; readonly rows: number }
  /** The connection is reset before anything is answered; nothing has happened. */
  | { readonly kind: 'reset' }
  | { readonly kind: 'redirect'; readonly location: string; readonly status?: number }
  /** The request takes effect, and the connection drops before the answer. */
  | { readonly kind: 'lost-answer' }
  /** The connection drops, and the request takes effect only some milliseconds later. */
  | { readonly kind: 'late-effect'; readonly millis: number }
  /** It takes effect and is answered, but lists of keys show it only some milliseconds later. */
  | { readonly kind: 'late-listing'; readonly millis: number }
  /** After the answer was made, other keys of the account are made and removed: so lists change between two pages. */
  | { readonly kind: 'churn'; readonly add: number; readonly remove: number };

/** An effect, and the requests it waits for. */
export type Fault = Effect & {
  /** Only this method. */
  readonly method?: string;
  /** Only paths that start so. */
  readonly path?: string;
  /** How many matching requests it strikes; 1 when left out. */
  readonly times?: number;
  /** How many matching requests pass unharmed before. */
  readonly skip?: number;
  /** Only requests for a longer time than this, in the unit of their start_timestamp and end_timestamp. */
  readonly longerThan?: number;
};

export type Faults = {
  plant(fault: Fault): void;
  /** What is still to strike. */
  pending(): readonly Fault[];
  clear(): void;
  /** The effect for a request, used up by it. */
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

/** A fault from JSON, or what is wrong with it. */
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
