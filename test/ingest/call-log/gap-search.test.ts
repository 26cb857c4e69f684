import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { interval, unixSeconds } from '../../../src/core/index.ts';
import {
  afterQuestion,
  nextQuestion,
  searchGap,
  type GapAnswer,
  type GapQuestion,
  type GapSearch,
} from '../../../src/ingest/call-log/gap-search.ts';
import type { LogWindow } from '../../../src/ingest/index.ts';
import { runs } from '../../support/storm.ts';

const range = (start: number, end: number): LogWindow => interval(unixSeconds(start), unixSeconds(end));

const split = ({ start, end }: LogWindow): readonly [LogWindow, LogWindow] | undefined => {
  const middle = Math.floor((start + end) / 2);
  return middle > start ? [range(start, middle), range(middle, end)] : undefined;
};

const isIn = (at: number, { start, end }: LogWindow): boolean => at >= start && at < end;

type Model = {
  /** Seconds of calls, one entry a call. */
  readonly calls: readonly number[];
  readonly cap: number;
  /** The next exports end cleanly after so many rows. */
  readonly short: readonly number[];
  /** Calls that the statistics count and no export shows. */
  readonly hidden: readonly number[];
};

const length = 4096;

/** A gateway whose exports end at a cap, newest rows first, and now and then too soon; and what has landed of it. */
const gatewayOf = ({ calls, cap, short, hidden }: Model) => {
  let landed: readonly number[] = [];
  const left = [...short];
  const pull = (window: LogWindow): { window: LogWindow; rows: number; served: number } => {
    const inWindow = calls.filter((at) => isIn(at, window));
    const shown = inWindow
      .toSorted((one, other) => other - one)
      .slice(0, cap)
      .slice(0, left.shift());
    landed = [...landed.filter((at) => !isIn(at, window)), ...shown];
    return { window, rows: shown.length, served: shown.length };
  };
  const missing = (window: LogWindow): number =>
    [...calls, ...hidden].filter((at) => isIn(at, window)).length -
    landed.filter((at) => isIn(at, window)).length;
  const answer = ({ ask, window }: GapQuestion): GapAnswer =>
    ask === 'compare'
      ? { ask, result: missing(window) > 0 ? 'short' : 'agrees', requests: 1 }
      : { ask, ...pull(window), requests: 1 };
  return { pull, missing, answer };
};

const searchAll = (model: Model, windows: readonly LogWindow[], maxRequests: number) => {
  const gateway = gatewayOf(model);
  const pieces = windows.map((window) => gateway.pull(window));
  let search: GapSearch = searchGap(pieces, { maxRequests }, split);
  if (gateway.missing(range(0, length)) === 0) return { gateway, search: undefined };
  for (let turn = 0; ; turn += 1) {
    const question = nextQuestion(search);
    if (question === undefined) return { gateway, search };
    expect(turn).toBeLessThan(maxRequests);
    search = afterQuestion(search, gateway.answer(question), split);
  }
};

const windowsOf = (pieces: number): readonly LogWindow[] =>
  Array.from({ length: pieces }, (_, at) =>
    range(Math.floor((at * length) / pieces), Math.floor(((at + 1) * length) / pieces)),
  );

const calls = fc.array(fc.integer({ min: 0, max: length - 1 }), { maxLength: 300 });
const cap = fc.oneof(fc.constant(Infinity), fc.integer({ min: 10, max: 120 }));
const pieces = fc.integer({ min: 1, max: 7 });
const cases = { numRuns: runs(150) };

describe('a search for missing rows', () => {
  it('lands every row of a capped gateway, and learns its cap', () => {
    fc.assert(
      fc.property(calls, cap, pieces, (all, rows, many) => {
        const { gateway, search } = searchAll(
          { calls: all, cap: rows, short: [], hidden: [] },
          windowsOf(many),
          5000,
        );
        const fits = all.every((at) => all.filter((other) => other === at).length < rows);
        if (fits) {
          expect(gateway.missing(range(0, length))).toBe(0);
          expect(search?.unexplained ?? []).toEqual([]);
        }
        if (search?.rowCap !== undefined) expect(search.rowCap).toBe(rows);
      }),
      cases,
    );
  });

  it('lands every row of a truncated export once, with one additional request', () => {
    fc.assert(
      fc.property(calls, fc.nat(299), (all, rows) => {
        const { gateway, search } = searchAll(
          { calls: all, cap: Infinity, short: [rows], hidden: [] },
          windowsOf(1),
          500,
        );
        expect(gateway.missing(range(0, length))).toBe(0);
        expect(search?.requests ?? 0).toBeLessThanOrEqual(2);
      }),
      cases,
    );
  });

  it('ends within its request limit whatever the gateway does, and names every window that stays incomplete', () => {
    fc.assert(
      fc.property(
        fc.record({
          calls,
          cap,
          short: fc.array(fc.nat(40), { maxLength: 6 }),
          hidden: fc.array(fc.nat(length - 1), { maxLength: 3 }),
        }),
        pieces,
        fc.integer({ min: 0, max: 800 }),
        (model, many, maxRequests) => {
          const { gateway, search } = searchAll(model, windowsOf(many), maxRequests);
          if (search === undefined) return;
          expect(search.requests).toBeLessThanOrEqual(maxRequests);
          if (search.todo.length > 0) return;
          for (let at = 0; at < length; at += 1)
            if (gateway.missing(range(at, at + 1)) > 0)
              expect(search.unexplained.some((window) => isIn(at, window))).toBe(true);
        },
      ),
      cases,
    );
  });

  it('narrows to the missing rows with few other requests', () => {
    const all = Array.from({ length: 300 }, (_, at) => at * 13);
    const { gateway, search } = searchAll(
      { calls: all, cap: Infinity, short: [300, 300, 300, 7], hidden: [] },
      windowsOf(16),
      500,
    );
    expect(gateway.missing(range(0, length))).toBe(0);
    expect(search?.requests).toBeLessThanOrEqual(10);
  });

  it('abandons a window after the maximum number of halvings when rows are counted but never exported', () => {
    const { search } = searchAll(
      { calls: [100, 3000], cap: Infinity, short: [], hidden: [200] },
      windowsOf(1),
      500,
    );
    expect(search?.unexplained).toEqual([range(0, length)]);
    expect(search?.requests).toBe(4);
  });
});
