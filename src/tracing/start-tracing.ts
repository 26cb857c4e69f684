import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
} from '@opentelemetry/api';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Measure, Measurement } from '../core/index.ts';
import { createExporter, type ExporterDeps } from './exporter.ts';
import type { TracingSettings } from './settings.ts';

/** An attempt of a run, as its span shows it. */
export type TracedAttempt = {
  readonly job: string;
  readonly kind: string;
  readonly account: string;
  /** As in mails and logs. */
  readonly run: string;
  /** ISO 8601. */
  readonly slot: string;
  /** From 1. */
  readonly attempt: number;
  readonly trigger: string;
};

/** `code`: that of the error. */
export type AttemptState = { readonly state: string; readonly code?: string | undefined };

/** Ends by sending what waits, within two seconds. */
export type Tracing = AsyncDisposable & {
  /** A span for each call of the gateway, below that of the attempt that it belongs to. */
  readonly measure: Measure;
  /** A span for the time of `work`, which never rejects. */
  readonly attempt: <Result>(
    about: TracedAttempt,
    work: () => Promise<Result>,
    endOf: (result: Result) => AttemptState,
  ) => Promise<Result>;
};

/** Milliseconds for what waits at the end of the process, as long as a heartbeat may take then. */
const flushLimit = 2000;

/** The standard defaults: spans that wait at most, spans of a request, and milliseconds between two requests. */
const queue = { maxQueueSize: 2048, maxExportBatchSize: 512, scheduledDelayMillis: 5000 };

const samplerOf = ({ sampler, ratio }: TracingSettings) => {
  const root = sampler.endsWith('traceidratio')
    ? new TraceIdRatioBasedSampler(ratio)
    : sampler.endsWith('always_off')
      ? new AlwaysOffSampler()
      : new AlwaysOnSampler();
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
};

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** The semantic conventions of HTTP, without `url.full`: queries name keys and their owners. */
const callAttributes = (call: Extract<Measurement, { what: 'gateway-call' }>): Attributes => {
  const [method, template] = call.endpoint.split(' ');
  const { hostname, port, protocol } = new URL(call.origin);
  return {
    'http.request.method': method,
    'url.template': template,
    'server.address': hostname,
    'server.port': port === '' ? defaultPorts[protocol] : Number(port),
    ...(call.status === undefined ? {} : { 'http.response.status_code': call.status }),
    ...(call.outcome === 'ok' ? {} : { 'error.type': call.outcome }),
  };
};

export const startTracing = (
  settings: TracingSettings,
  {
    redact,
    version,
    ...deps
  }: ExporterDeps & { readonly redact: (text: string) => string; readonly version: string },
): Tracing => {
  const { clock } = deps;
  const exporter = createExporter(settings, deps);
  const provider = new TracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({ 'service.version': version, ...settings.resource }),
    ),
    sampler: samplerOf(settings),
    spanProcessors: [new BatchSpanProcessor({ exporter, ...queue })],
  });
  const tracer = provider.getTracer('tollkeeper', version);
  // Not the global context of the API: a process may have several apps, and tests do.
  const contexts = new AsyncLocalStorage<Context>();
  const redacted = (attributes: Attributes): Attributes =>
    Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [
        name,
        typeof value === 'string' ? redact(value) : value,
      ]),
    );

  return {
    measure: (one) => {
      if (one.what !== 'gateway-call') return;
      const end = clock.now();
      const span = tracer.startSpan(
        one.endpoint,
        {
          kind: SpanKind.CLIENT,
          startTime: end - Math.max(0, one.seconds * 1000),
          attributes: redacted(callAttributes(one)),
        },
        contexts.getStore() ?? ROOT_CONTEXT,
      );
      if (one.outcome !== 'ok') span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(end);
    },

    attempt: async (about, work, endOf) => {
      const { kind, job, account, run, slot, attempt, trigger } = about;
      const span = tracer.startSpan(
        `run ${kind}`,
        {
          startTime: clock.now(),
          attributes: redacted({
            'tollkeeper.job.name': job,
            'tollkeeper.job.kind': kind,
            'tollkeeper.account': account,
            'tollkeeper.run.id': run,
            'tollkeeper.run.slot': slot,
            'tollkeeper.run.attempt': attempt,
            'tollkeeper.run.trigger': trigger,
          }),
        },
        ROOT_CONTEXT,
      );
      const result = await contexts.run(trace.setSpan(ROOT_CONTEXT, span), work);
      const { state, code } = endOf(result);
      span.setAttribute('tollkeeper.run.state', state);
      if (state !== 'ok') {
        span.setAttribute('error.type', code ?? state);
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end(clock.now());
      return result;
    },

    [Symbol.asyncDispose]: async () => {
      using limit = clock.limit(flushLimit);
      limit.signal.addEventListener('abort', () =>
        exporter.abort(new Error(`the endpoint did not answer within ${flushLimit / 1000} s of the end`)),
      );
      await provider.shutdown();
      await exporter[Symbol.asyncDispose]();
    },
  };
};
