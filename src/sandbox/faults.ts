import { isRecord, wholeParameter } from './request.ts';

/** Types of fields; an optional field has a `?` after its type. */
type Types = { readonly number: number; readonly string: string; readonly end: 'destroyed' | 'clean' };
type Fields = Readonly<Record<string, keyof Types | `${keyof Types}?`>>;
type Typed<Given> = {
  readonly [Name in keyof Given as Given[Name] extends keyof Types ? Name : never]: Types[Given[Name] &
    keyof Types];
} & {
  readonly [Name in keyof Given]?: Given[Name] extends `${infer Type extends keyof Types}?`
    ? Types[Type]
    : unknown;
};

const effect = <const Given extends Fields>(meaning: string, fields: Given) => ({ meaning, fields });

/** Faults to inject. Rows are data rows after the header; bodies other than CSV are cut in the middle. */
const effects = {
  status: effect('any status in place of the answer', {
    status: 'number',
    body: 'string?',
    contentType: 'string?',
    retryAfter: 'string?',
  }),
  delay: effect('the whole answer after a delay', { millis: 'number' }),
  'rate-limit': effect('429, empty, without Retry-After', {}),
  envelope: effect('HTTP 200, success false, in place of the answer', { message: 'string?' }),
  html: effect('a page in place of the answer', { status: 'number?' }),
  redirect: effect('a redirect in place of the answer', { location: 'string', status: 'number?' }),
  'cut-off': effect('the body ends within a row', { rows: 'number', end: 'end' }),
  short: effect('the body ends cleanly after whole rows, as if there were no more', { rows: 'number' }),
  drip: effect('the body in pieces, with a pause before each', { bytes: 'number', millis: 'number' }),
  stall: effect('the body stops, and the connection stays open', { rows: 'number' }),
  reset: effect('the connection is reset before an answer; the request has no effect', {}),
  'lost-answer': effect('the request takes effect, but the connection drops before the answer', {}),
  'late-effect': effect('the connection drops; the request takes effect later', { millis: 'number' }),
  'late-listing': effect('the request takes effect, but key lists show it later', { millis: 'number' }),
  churn: effect('keys named churn-… come and go after the answer, so that lists change between two pages', {
    add: 'number',
    remove: 'number',
  }),
};

/** The requests that an effect applies to. */
const selection = {
  method: 'string?',
  /** Prefix of the path. */
  path: 'string?',
  /** Number of matching requests affected; defaults to 1. */
  times: 'number?',
  /** Number of matching requests that pass first. */
  skip: 'number?',
  /** Only requests for a longer range, in the unit of their start_timestamp and end_timestamp. */
  longerThan: 'number?',
} as const satisfies Fields;

type Kind = keyof typeof effects;
export type Effect = {
  [Name in Kind]: { readonly kind: Name } & Typed<(typeof effects)[Name]['fields']>;
}[Kind];
export type Fault = Effect & Typed<typeof selection>;

const lengthOf = (query: URLSearchParams | undefined): number =>
  query === undefined
    ? 0
    : (wholeParameter(query, 'end_timestamp') ?? 0) - (wholeParameter(query, 'start_timestamp') ?? 0);

export const createFaults = () => {
  let planted: { fault: Fault; skip: number; times: number }[] = [];
  return {
    plant(fault: Fault): void {
      planted.push({ fault, skip: fault.skip ?? 0, times: fault.times ?? 1 });
    },
    pending: (): readonly Fault[] => planted.map(({ fault, skip, times }) => ({ ...fault, skip, times })),
    clear(): void {
      planted = [];
    },
    /** The effect for a request, which uses it up. */
    take(method: string, path: string, query?: URLSearchParams): Effect | undefined {
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

const fits = (type: string, value: unknown): boolean => {
  if (type === 'end') return value === 'destroyed' || value === 'clean';
  return type === 'number' ? Number.isSafeInteger(value) && Number(value) >= 0 : typeof value === 'string';
};

export const parseFault = (value: unknown): Fault | string => {
  if (!isRecord(value)) return 'a fault is a JSON object';
  const { kind, ...given } = value;
  if (typeof kind !== 'string' || !Object.hasOwn(effects, kind))
    return `kind must be one of ${Object.keys(effects).join(', ')}`;
  const fields: Fields = { ...selection, ...effects[kind as Kind].fields };
  for (const [name, type] of Object.entries(fields))
    if (!type.endsWith('?') && !fits(type, given[name]))
      return `${kind} needs ${name} (${type === 'end' ? 'destroyed or clean' : type})`;
  const isKnown = (name: string): boolean => {
    const type = fields[name]?.replace('?', '');
    return type !== undefined && fits(type, given[name]);
  };
  const unknown = Object.keys(given).find((name) => !isKnown(name));
  return unknown === undefined ? (value as Fault) : `${unknown} is not understood`;
};

export const faultsHelp = (): string =>
  Object.entries<{ readonly meaning: string; readonly fields: Fields }>(effects)
    .map(([kind, { meaning, fields }]) => {
      const names = Object.entries(fields).map(([name, type]) => (type.endsWith('?') ? `${name}?` : name));
      return `      ${kind.padEnd(13)} ${meaning}${names.length === 0 ? '' : ` (${names.join(', ')})`}`;
    })
    .join('\n');

export type Faults = ReturnType<typeof createFaults>;
