import { expect } from 'vitest';
import { csvOf, sumOf, type SourceRow, type SourceStyle } from './log-source.ts';

/** A row, and from which second on the gateway shows it. */
export type TimedRow = SourceRow & { readonly shownFrom: number };

export const day = 86_400;
const quarter = 900;

/** No amount: the row can't be read. */
export const noAmount = 'n/a';
export const isBad = ({ quota }: SourceRow): boolean => quota === noAmount;

const kinds: Readonly<Record<string, string>> = { '2': 'consumption', '6': 'refund' };

export const kindOf = ({ kind = '', quota }: SourceRow): string =>
  kind === ''
    ? quota.startsWith('-') && /[1-9]/.test(quota)
      ? 'refund'
      : 'consumption'
    : (kinds[kind] ?? kind);

/** A whole row as the warehouse is to hold it, NULLs left out. */
export const storedRow = (row: SourceRow, noteName: string): string => {
  const extra = { [noteName]: row.extra === undefined || row.extra === '' ? null : row.extra };
  return JSON.stringify([
    ['created_at', String(row.at)],
    ['extra', extra],
    ['kind', kindOf(row)],
    ['model_name', row.model],
    ['prompt_tokens', String(row.prompt)],
    ['quarter', String(row.at - (row.at % quarter))],
    ...(row.quota === '' ? [] : [['quota', sumOf([row.quota])]]),
    // The bit of the only token column of these exports.
    ['served_columns', '1'],
    ['token_name', row.token],
  ]);
};

/** The same of a row of the table. */
export const tableRow = (row: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(
    Object.entries(row)
      .filter(([name, value]) => name !== 'account' && value !== null)
      .map(([name, value]) => {
        if (name === 'quota') return [name, sumOf([String(value)])];
        return [name, name === 'extra' ? (JSON.parse(String(value)) as unknown) : String(value)];
      })
      .toSorted(([left], [right]) => (String(left) < String(right) ? -1 : 1)),
  );

/**
 * What is left of an export that ends after so many bytes: the rows that nothing shows to be fewer, or nothing where the
 * cut has to be found (a row cut in two, a line without its end, a total line missing).
 */
export const leftOf = (
  rows: readonly SourceRow[],
  style: SourceStyle,
  length: number,
): readonly SourceRow[] | undefined => {
  const endOf = (count: number): number =>
    Buffer.byteLength(csvOf(rows.slice(0, count), { ...style, total: false, endsLines: false }));
  for (let count = rows.length; count >= 0; count -= 1) {
    const end = endOf(count);
    if (length < end) continue;
    if (count === rows.length) return rows;
    const ended = length === end + style.newline.length;
    const unended = !style.endsLines && length <= end + style.newline.length;
    return !style.total && (ended || unended) ? rows.slice(0, count) : undefined;
  }
  return undefined;
};

/** A window that was landed, when it was asked for, and what came. */
export type ModelLanding = {
  readonly start: number;
  readonly end: number;
  /** Now less the lag, at the time. */
  readonly settled: number;
  /** It came cut off, and nothing showed it. */
  readonly cut: boolean;
};

export type QuarterSums = {
  readonly quarter: number;
  readonly kind: string;
  readonly calls: number;
  readonly amount: string;
  readonly size: string;
};

/** By quarter hour and kind. */
const sumsOf = (rows: readonly SourceRow[]): ReadonlyMap<string, QuarterSums> => {
  const groups = new Map<string, SourceRow[]>();
  for (const row of rows) {
    const key = JSON.stringify([row.at - (row.at % quarter), kindOf(row)]);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return new Map(
    [...groups].map(([key, list]) => {
      const [first, kind] = JSON.parse(key) as [number, string];
      const amount = sumOf(list.map(({ quota }) => quota));
      const size = sumOf(list.map(({ quota }) => quota.replace('-', '')));
      return [key, { quarter: first, kind, calls: list.length, amount, size }];
    }),
  );
};

type Told = readonly [quarter: number, kind: string, calls: readonly number[], amounts: readonly string[]];

/** What a report of the old rows has to be told of the new ones: quarter, kind, calls and amounts before and now. */
export const changesOf = (old: readonly SourceRow[], now: readonly SourceRow[]): readonly Told[] => {
  const [before, after] = [sumsOf(old), sumsOf(now)];
  return [...new Set([...before.keys(), ...after.keys()])]
    .flatMap((key): readonly Told[] => {
      const [first, kind] = JSON.parse(key) as [number, string];
      const none = { quarter: first, kind, calls: 0, amount: '0', size: '0' };
      const sides = [before.get(key) ?? none, after.get(key) ?? none];
      const [left, right] = sides.map(({ calls, amount, size }) => JSON.stringify([calls, amount, size]));
      if (left === right) return [];
      const amounts = sides.map(({ amount, size }) => (kind === 'refund' ? size : amount));
      return [[first, kind, sides.map(({ calls }) => calls), amounts]];
    })
    .toSorted(([left, one], [right, other]) => left - right || (one < other ? -1 : 1));
};

/** What the warehouse is to hold, and how it came to that. */
export const createModel = () => {
  let stored: readonly SourceRow[] = [];
  const landings: ModelLanding[] = [];
  const broken: ModelLanding[] = [];
  const landingAt = (second: number): ModelLanding | undefined =>
    landings.findLast(({ start, end }) => start <= second && end > second);
  /** Of each stretch that no landing begins or ends in, its first second. */
  const secondsIn = (start: number, end: number): readonly number[] =>
    [start, ...landings.flatMap((one) => [one.start, one.end])].filter((at) => at >= start && at < end);
  return {
    rows: () => stored,
    landings,
    /** What was landed though its cut can be seen. */
    broken,
    land: (landing: ModelLanding, served: readonly SourceRow[] | undefined): void => {
      if (served === undefined) broken.push(landing);
      const isInside = ({ at }: SourceRow): boolean => at >= landing.start && at < landing.end;
      stored = [...stored.filter((row) => !isInside(row)), ...(served ?? []).filter(isInside)];
      landings.push(landing);
    },
    landingAt,
    expectLanded: (start: number, end: number): void => {
      for (const second of secondsIn(start, end))
        expect([second, landingAt(second)]).not.toEqual([second, undefined]);
    },
    /** Every second of a closed day was pulled since each of its revisits was due. */
    expectRevisited: (start: number, until: number, waits: readonly number[]): void => {
      for (let first = start - (start % day); first + day <= until; first += day) {
        const due = dueBy(first, until, waits);
        if (due === undefined) continue;
        for (const second of secondsIn(Math.max(first, start), first + day)) {
          const settled = landings.filter((one) => one.start <= second && one.end > second);
          const latest = Math.max(0, ...settled.map((one) => one.settled));
          expect([second, latest >= due]).toEqual([second, true]);
        }
      }
    },
  };
};

/** When the last revisit of the day became due, of those that are by now. */
export const dueBy = (first: number, until: number, waits: readonly number[]): number | undefined => {
  const due = waits.map((wait) => Math.max(first + day, first + wait)).filter((at) => at <= until);
  return due.length === 0 ? undefined : Math.max(...due);
};
