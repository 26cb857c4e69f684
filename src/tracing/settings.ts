import { errorFields, fault, type Deps, type Log, type SecretRegistry } from '../core/index.ts';

/** Which traces are sent, as in `OTEL_TRACES_SAMPLER`. */
export const samplers = [
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
  'always_on',
  'always_off',
  'traceidratio',
] as const;

export type TracingSettings = {
  /** Receives the spans; without user and password. */
  readonly url: URL;
  /** Values of eight characters or more are registered as secrets. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds for one request. */
  readonly timeout: number;
  /** Attributes of the resource, `service.name` among them. */
  readonly resource: Readonly<Record<string, string>>;
  readonly sampler: (typeof samplers)[number];
  /** The part of traces that a sampler by ratio sends: 0 to 1. */
  readonly ratio: number;
};

type Read = (name: string) => string | undefined;

const wrong = (name: string, problem: string, advice: string) =>
  fault('wrong-use', `${name} ${problem}`, { advice });

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text.trim());
  } catch {
    return text.trim();
  }
};

/** The pairs of `a=1,b=2`, whose values may be percent-encoded. */
const pairsIn = (text = ''): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text.split(',').flatMap((pair) => {
      const at = pair.indexOf('=');
      return at < 1 ? [] : [[pair.slice(0, at).trim(), decode(pair.slice(at + 1))] as const];
    }),
  );

/** The address of the receiver: that of traces as it is, or that of all signals with the path of traces. */
const addressIn = (read: Read): URL | undefined => {
  const own = read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  const common = read('OTEL_EXPORTER_OTLP_ENDPOINT');
  const text = own ?? common;
  if (text === undefined) return undefined;
  const name = `OTEL_EXPORTER_OTLP_${own === undefined ? '' : 'TRACES_'}ENDPOINT`;
  // The text is not quoted: it may contain a password.
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw wrong(name, 'is not an HTTP URL', 'set it to a URL such as http://localhost:4318');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '')
    throw wrong(
      name,
      `(host ${url.host}) contains a user or password`,
      'remove them, and set OTEL_EXPORTER_OTLP_HEADERS',
    );
  if (own === undefined) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`;
  return url;
};

const checkProtocol = (read: Read): void => {
  const name = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'].find(
    (one) => read(one) !== undefined,
  );
  if (name !== undefined && read(name)?.startsWith('http/') !== true)
    throw wrong(
      name,
      `is ${read(name) ?? ''}, and traces are sent over HTTP only`,
      'unset it, and set the endpoint to the port for HTTP, usually 4318',
    );
};

const numberIn = (read: Read, name: string, least: number, most: number): number | undefined => {
  const text = read(name);
  const value = Number(text);
  if (text !== undefined && !(value >= least && value <= most))
    throw wrong(name, `is not a number from ${least} to ${most}`, 'correct it, or unset it');
  return text === undefined ? undefined : value;
};

const samplerIn = (read: Read): TracingSettings['sampler'] => {
  const text = read('OTEL_TRACES_SAMPLER') ?? samplers[0];
  const sampler = samplers.find((one) => one === text);
  if (sampler === undefined)
    throw wrong('OTEL_TRACES_SAMPLER', 'is not a known sampler', `set it to ${samplers.join(', ')}`);
  return sampler;
};

/** Characters. Shorter values are no credentials, but names such as that of a tenant, which occur in ordinary text. */
const shortestSecret = 8;

const settingsIn = (read: Read, secrets: SecretRegistry): TracingSettings | undefined => {
  const exporter = read('OTEL_TRACES_EXPORTER') ?? 'otlp';
  if (read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true' || exporter === 'none') return undefined;
  const headers = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'].map((name) =>
    pairsIn(read(name)),
  );
  // Also the credential of `Basic …` and `Bearer …` by itself.
  for (const value of headers.flatMap((pairs) => Object.values(pairs)))
    for (const secret of [value, value.slice(value.indexOf(' ') + 1)])
      if (secret.length >= shortestSecret) secrets.register(secret);
  const url = addressIn(read);
  if (url === undefined) return undefined;
  if (exporter !== 'otlp')
    throw wrong('OTEL_TRACES_EXPORTER', `is ${exporter}`, 'set it to otlp or none, or unset it');
  checkProtocol(read);
  const own = read('OTEL_SERVICE_NAME');
  const longest = 600_000;
  return {
    url,
    headers: Object.assign({}, ...headers) as Readonly<Record<string, string>>,
    timeout:
      numberIn(read, 'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', 1, longest) ??
      numberIn(read, 'OTEL_EXPORTER_OTLP_TIMEOUT', 1, longest) ??
      10_000,
    resource: {
      'service.name': 'tollkeeper',
      ...pairsIn(read('OTEL_RESOURCE_ATTRIBUTES')),
      ...(own === undefined ? {} : { 'service.name': own }),
    },
    sampler: samplerIn(read),
    ratio: numberIn(read, 'OTEL_TRACES_SAMPLER_ARG', 0, 1) ?? 1,
  };
};

/**
 * What the standard variables of OpenTelemetry say; undefined if no endpoint is set, or if a variable is wrong, which is
 * logged: traces never keep a job from running.
 */
export const readSettings = (
  env: Deps['env'],
  secrets: SecretRegistry,
  log: Log,
): TracingSettings | undefined => {
  const read: Read = (name) => {
    const text = env[name]?.trim() ?? '';
    return text === '' ? undefined : text;
  };
  try {
    return settingsIn(read, secrets);
  } catch (error) {
    log.warn('no traces are sent', errorFields(error));
    return undefined;
  }
};
