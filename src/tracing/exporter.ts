import { ExportResultCode } from '@opentelemetry/core';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { messageOf, type Clock, type Log } from '../core/index.ts';
import { createHttp } from '../http/index.ts';
import type { TracingSettings } from './settings.ts';

export type ExporterDeps = {
  /** Of the transport: proxies and additional issuers. */
  readonly env: NodeJS.ProcessEnv;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly log: Log;
};

export type Exporter = AsyncDisposable &
  SpanExporter & {
    /** Ends requests in progress; their spans are lost. */
    readonly abort: (reason: Error) => void;
  };

/** Bytes of an answer. */
const largestAnswer = 64 * 1024;

/** Milliseconds without another warning, for an endpoint that fails again and again. */
const quiet = 600_000;

/** How many spans the receiver did not take from a request that it accepted, with its reason. */
const rejectedIn = (text: string): string | undefined => {
  try {
    const { partialSuccess } = JSON.parse(text) as {
      readonly partialSuccess?: { readonly rejectedSpans?: unknown; readonly errorMessage?: unknown };
    };
    const count = Number(partialSuccess?.rejectedSpans ?? 0);
    return count > 0 ? `${count} spans were rejected: ${String(partialSuccess?.errorMessage)}` : undefined;
  } catch {
    // A receiver may answer with no JSON, or with none at all.
    return undefined;
  }
};

/**
 * Sends spans as OTLP/HTTP JSON over the program's own transport. One attempt a batch: spans that the receiver does not
 * take are lost, and the log has one warning an outage.
 */
export const createExporter = (
  { url, headers, timeout }: TracingSettings,
  { env, userAgent, clock, log }: ExporterDeps,
): Exporter => {
  const http = createHttp({
    userAgent,
    env,
    timeouts: { connect: timeout, headers: timeout, idle: timeout, total: timeout },
  });
  const closing = new AbortController();
  const underWay = new Set<Promise<void>>();
  const where = log.with({ host: url.host });
  let [isFailing, lost, warnedAt] = [false, 0, Number.NEGATIVE_INFINITY];

  const failed = (error: unknown, spans: number): void => {
    lost += spans;
    const now = clock.now();
    // A clock that was set back allows the warning, too.
    if (!isFailing && Math.abs(now - warnedAt) >= quiet) {
      warnedAt = now;
      where.warn('cannot send traces; their spans are dropped until the endpoint accepts them again', {
        error: messageOf(error).slice(0, 300),
        advice: 'check OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS; jobs are not affected',
      });
    }
    isFailing = true;
  };

  const send = async (spans: readonly ReadableSpan[]): Promise<void> => {
    const bytes = JsonTraceSerializer.serializeRequest([...spans]) ?? new Uint8Array();
    const answer = await http.send({
      method: 'POST',
      url,
      headers: { ...headers, 'content-type': 'application/json' },
      body: Buffer.from(bytes).toString(),
      signal: closing.signal,
    });
    if (answer.status < 200 || answer.status > 299) {
      await answer.discard();
      throw new Error(`HTTP status ${answer.status}`);
    }
    const rejected = rejectedIn(await answer.text(largestAnswer));
    if (rejected !== undefined) throw new Error(rejected);
  };

  const exportBatch = async (spans: readonly ReadableSpan[]): Promise<void> => {
    try {
      await send(spans);
      if (isFailing) where.info('traces are sent again', { dropped: lost });
      [isFailing, lost] = [false, 0];
    } catch (error) {
      failed(error, spans.length);
    }
  };

  const settled = async (): Promise<void> => {
    await Promise.all(underWay);
  };

  return {
    export: (spans, done) => {
      const work = exportBatch(spans).finally(() => {
        underWay.delete(work);
        // The processor has nothing to add to the log.
        done({ code: ExportResultCode.SUCCESS });
      });
      underWay.add(work);
    },
    forceFlush: settled,
    shutdown: settled,
    abort: (reason) => closing.abort(reason),
    [Symbol.asyncDispose]: http[Symbol.asyncDispose],
  };
};
