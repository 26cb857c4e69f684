import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { errorFields, groupBy, type Log, type Measure } from '../core/index.ts';
import {
  entryOf,
  metricNames,
  type CountedName,
  type GaugeName,
  type LabelsOf,
  type MetricName,
} from './catalogue.ts';
import { boundItems, cleanLabels, createOverflow, type LabelSet, type Overflow } from './label-sets.ts';
import type { Readers, Sample } from './sample.ts';

export type MetricsDeps = {
  readonly log: Log;
  readonly redact: (text: string) => string;
};

export type Metrics = {
  /** Counts what happens in the process. */
  readonly measure: Measure;
  /** Reads all parts and gives the exposition; concurrent scrapes share one. */
  readonly scrape: (readers: Readers) => Promise<string>;
  readonly contentType: string;
};

type Instruments = {
  readonly gauges: ReadonlyMap<string, Gauge>;
  readonly counters: ReadonlyMap<string, Counter>;
  readonly histograms: ReadonlyMap<string, Histogram>;
};

/** One instrument for each entry of the catalogue. */
const register = (registry: Registry): Instruments => {
  const made = {
    gauges: new Map<string, Gauge>(),
    counters: new Map<string, Counter>(),
    histograms: new Map<string, Histogram>(),
  };
  for (const name of metricNames) {
    const { type, help, labels, buckets = [] } = entryOf(name);
    const options = { name, help, labelNames: [...labels], registers: [registry] };
    if (type === 'gauge') made.gauges.set(name, new Gauge(options));
    else if (type === 'counter') made.counters.set(name, new Counter(options));
    else made.histograms.set(name, new Histogram({ ...options, buckets: [...buckets] }));
  }
  return made;
};

/** The registry of a daemon: counters over its life, and gauges that are read at each scrape. */
export const createMetrics = ({ log, redact }: MetricsDeps): Metrics => {
  const registry = new Registry();
  const { gauges, counters, histograms } = register(registry);
  const logDropping = (metric: string): void =>
    log.warn('a metric has more label sets than its limit; the rest is not shown', {
      metric,
      limit: entryOf(metric as MetricName).most,
      advice: 'see tollkeeper_metrics_series_dropped',
    });
  const redacted = (labels: LabelSet): LabelSet =>
    cleanLabels(Object.fromEntries(Object.entries(labels).map(([name, text]) => [name, redact(text)])));

  const overflows = new Map<string, Overflow>(
    [...counters.keys(), ...histograms.keys()].map((name) => [
      name,
      createOverflow(entryOf(name as MetricName).most, () => logDropping(name)),
    ]),
  );
  const record = <Name extends CountedName>(name: Name, labels: LabelsOf<Name>, value: number): void => {
    const own = redacted(labels);
    const bounded = overflows.get(name)?.take(own) ?? own;
    counters.get(name)?.inc(bounded, Math.max(0, value));
    histograms.get(name)?.observe(bounded, Math.max(0, value));
  };

  const failing = new Set<string>();
  const readPart = async (part: string, read: Readers[string]): Promise<readonly Sample[]> => {
    try {
      const samples = await read();
      failing.delete(part);
      return samples;
    } catch (error) {
      record('tollkeeper_metrics_errors_total', { part }, 1);
      if (!failing.has(part))
        log.error('cannot read a part of the metrics; the other parts are shown', {
          part,
          ...errorFields(error),
        });
      failing.add(part);
      return [];
    }
  };

  const dropping = new Set<string>();
  const show = (name: GaugeName, samples: readonly Sample[]): number => {
    const gauge = gauges.get(name);
    const cleaned = samples.map(({ labels, value }) => ({ labels: redacted(labels), value }));
    const { kept, dropped } = boundItems(cleaned, entryOf(name).most);
    gauge?.reset();
    // prom-client shows 0 for a metric without labels that nothing has set.
    if (samples.length === 0) gauge?.remove({});
    for (const { labels, value } of kept) gauge?.set(labels, Number(value));
    if (dropped > 0 && !dropping.has(name)) logDropping(name);
    if (dropped > 0) dropping.add(name);
    else dropping.delete(name);
    return dropped;
  };

  const read = async (readers: Readers): Promise<string> => {
    const samples: Sample[] = [];
    for (const [part, reader] of Object.entries(readers)) samples.push(...(await readPart(part, reader)));
    const byName = groupBy(samples, ({ name }) => name);
    const dropped = 'tollkeeper_metrics_series_dropped';
    const counts: [string, number][] = [];
    for (const name of gauges.keys() as Iterable<GaugeName>)
      if (name !== dropped) counts.push([name, show(name, byName.get(name) ?? [])]);
    for (const [name, overflow] of overflows) counts.push([name, overflow.dropped()]);
    show(
      dropped,
      counts.flatMap(([metric, value]) =>
        value === 0 ? [] : [{ name: dropped, labels: { metric }, value } as const],
      ),
    );
    return registry.metrics();
  };

  let reading: Promise<string> | undefined;
  return {
    contentType: registry.contentType,
    scrape: (readers) => {
      reading ??= read(readers).finally(() => {
        reading = undefined;
      });
      return reading;
    },
    measure: (one) => {
      switch (one.what) {
        case 'run-ended': {
          const { kind, state, seconds } = one;
          record('tollkeeper_runs_total', { kind, state }, 1);
          if (seconds !== undefined) record('tollkeeper_run_duration_seconds', { kind }, seconds);
          return;
        }
        case 'pulled': {
          const { job, kind, rows, bytes } = one;
          record('tollkeeper_pulled_rows_total', { job_name: job, kind }, rows);
          record('tollkeeper_pulled_bytes_total', { job_name: job, kind }, bytes);
          return;
        }
        case 'gateway-call': {
          const { endpoint, outcome, seconds } = one;
          record('tollkeeper_gateway_calls_total', { endpoint, outcome }, 1);
          record('tollkeeper_gateway_call_duration_seconds', { endpoint }, seconds);
          return;
        }
        case 'mail-attempt': {
          const { route, outcome } = one;
          record('tollkeeper_mail_attempts_total', { route, outcome }, 1);
        }
      }
    },
  };
};
