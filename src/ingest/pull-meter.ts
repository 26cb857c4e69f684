import type { Clock, Log, Progress, ProgressStep } from '../core/index.ts';

/** Reports the progress of a pull: to observers, and now and then to the log. */
export type PullMeter = {
  /** The remaining work, including the current window: the number of windows, and their total length in any unit. */
  readonly left: (windows: number, length: number) => void;
  /** The current part. */
  readonly at: (detail: string) => void;
  readonly received: (bytes: number) => void;
  readonly landed: (rows: number, length: number) => void;
  readonly bytes: () => number;
  /** The figures for a log line. */
  readonly fields: () => Readonly<Record<string, string | number | undefined>>;
};

/** Milliseconds for measuring a rate, between two progress reports on bytes alone, and between two log lines. */
const rateDuration = 10_000;
const glance = 250;
const logPause = 30_000;
/** A shorter time is too short to measure a rate. */
const leastDuration = 500;

export const createPullMeter = (
  step: string,
  { clock, progress, log }: { readonly clock: Clock; readonly progress: Progress; readonly log: Log },
): PullMeter => {
  let [windows, rows, bytes, covered, windowsLeft, lengthLeft] = [0, 0, 0, 0, 0, 0];
  let detail = '';
  let began: number | undefined;
  let [notifiedAt, loggedAt] = [Number.NEGATIVE_INFINITY, clock.now() as number];
  let samples: { readonly at: number; readonly bytes: number; readonly rows: number }[] = [];

  /** Rates of the last seconds; undefined until there are enough of them. */
  const rates = (now: number): Pick<ProgressStep, 'bytesPerSecond' | 'rowsPerSecond'> => {
    samples = samples.filter(({ at }, index) => {
      const next = samples[index + 1];
      return at > now - rateDuration || next === undefined || next.at > now - rateDuration;
    });
    samples.push({ at: now, bytes, rows });
    const [oldest] = samples;
    const duration = oldest === undefined ? 0 : now - oldest.at;
    if (oldest === undefined || duration < leastDuration) return {};
    const perSecond = (amount: number): number => Math.round((amount * 1000) / duration);
    return { bytesPerSecond: perSecond(bytes - oldest.bytes), rowsPerSecond: perSecond(rows - oldest.rows) };
  };
  const millisLeft = (now: number): Pick<ProgressStep, 'millisLeft'> =>
    began === undefined || covered === 0 || lengthLeft === 0 || now <= began
      ? {}
      : { millisLeft: Math.round(((now - began) / covered) * lengthLeft) };
  const stepNow = (): ProgressStep => {
    const now = clock.now();
    const total = windows + windowsLeft;
    return { step, done: windows, total, rows, bytes, ...rates(now), ...millisLeft(now), detail };
  };
  const fields: PullMeter['fields'] = () => {
    const rates = stepNow();
    return {
      windows: `${windows} of ${windows + windowsLeft}`,
      rowsSoFar: rows,
      bytesSoFar: bytes,
      rowsPerSecond: rates.rowsPerSecond,
      bytesPerSecond: rates.bytesPerSecond,
      secondsLeft: rates.millisLeft === undefined ? undefined : Math.ceil(rates.millisLeft / 1000),
    };
  };
  const notify = (): void => {
    notifiedAt = clock.now();
    progress(stepNow());
  };
  return {
    left: (many, length) => {
      windowsLeft = many;
      lengthLeft = length;
    },
    at: (text) => {
      began ??= clock.now();
      detail = text;
      notify();
    },
    received: (count) => {
      bytes += count;
      const now = clock.now();
      if (began === undefined || now - notifiedAt < glance) return;
      notify();
      if (now - loggedAt < logPause) return;
      loggedAt = now;
      log.info(step, { at: detail, ...fields() });
    },
    landed: (count, length) => {
      windows += 1;
      rows += count;
      covered += length;
      windowsLeft -= 1;
      lengthLeft -= length;
      notify();
    },
    bytes: () => bytes,
    fields,
  };
};
