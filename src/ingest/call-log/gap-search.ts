import { interval } from '../../core/index.ts';
import type { LogWindow } from './log-windows.ts';

/** A window as it was landed. */
export type LandedPiece = {
  readonly window: LogWindow;
  /** Rows that landed, and rows of the whole answer; omitted when only a part of the landing remains. */
  readonly rows?: number | undefined;
  readonly served?: number | undefined;
};

type Pulled = { readonly window: LogWindow; readonly rows: number; readonly served: number };

type Step =
  /** Compares consecutive pieces together. */
  | { readonly ask: 'compare'; readonly pieces: readonly LandedPiece[]; readonly isPulled: boolean }
  | { readonly ask: 'pull'; readonly window: LogWindow }
  | {
      readonly ask: 'halves';
      readonly whole: Pulled;
      readonly halves: readonly [LogWindow, LogWindow];
      readonly first?: Pulled;
    };

/** The state of the search for missing rows of one range. */
export type GapSearch = {
  readonly todo: readonly Step[];
  /** Pieces with fewer rows than the cap, assumed complete; compared together at the end. */
  readonly believed: readonly LandedPiece[];
  readonly believesCap: boolean;
  /** Rows after which the gateway ends an export, once it is known. */
  readonly rowCap: number | undefined;
  /** Windows whose missing rows no request returns. */
  readonly unexplained: readonly LogWindow[];
  /** Requests made so far, and their limit. */
  readonly requests: number;
  readonly maxRequests: number;
};

/** What to do next: compare what has landed of the window with another source, or request its export and land it. */
export type GapQuestion = { readonly ask: 'compare' | 'pull'; readonly window: LogWindow };

export type GapAnswer = {
  /** The number of requests it used. */
  readonly requests: number;
} & (
  | { readonly ask: 'compare'; readonly result: 'agrees' | 'short' }
  | { readonly ask: 'pull'; readonly rows: number; readonly served: number }
);

/** Splits a window in two; undefined when it cannot be split. */
export type SplitWindow = (window: LogWindow) => readonly [LogWindow, LogWindow] | undefined;

/** No gateway caps an export at fewer rows: equal counts below it are coincidence. */
const smallestCap = 10;

const rangeOf = (pieces: readonly LandedPiece[]): LogWindow | undefined => {
  const [first, last] = [pieces[0], pieces.at(-1)];
  return first === undefined || last === undefined
    ? undefined
    : interval(first.window.start, last.window.end);
};

const compare = (pieces: readonly LandedPiece[], isPulled = false): Step => ({
  ask: 'compare',
  pieces,
  isPulled,
});

const isCapped = ({ served }: LandedPiece, rowCap: number | undefined): boolean =>
  rowCap !== undefined && served === rowCap;

const giveUp = (search: GapSearch, window: LogWindow): GapSearch => ({
  ...search,
  unexplained: [...search.unexplained, window],
});

const push = (search: GapSearch, ...steps: readonly Step[]): GapSearch => ({
  ...search,
  todo: [...steps, ...search.todo],
});

const halve = (search: GapSearch, whole: Pulled, split: SplitWindow): GapSearch => {
  const halves = split(whole.window);
  return halves === undefined ? giveUp(search, whole.window) : push(search, { ask: 'halves', whole, halves });
};

/** Rows are missing somewhere in these pieces. */
const descend = (
  search: GapSearch,
  pieces: readonly LandedPiece[],
  isPulled: boolean,
  split: SplitWindow,
): GapSearch => {
  const [piece, ...others] = pieces;
  if (piece === undefined) return search;
  if (others.length > 0) {
    const middle = Math.ceil(pieces.length / 2);
    return push(search, compare(pieces.slice(0, middle), isPulled), compare(pieces.slice(middle), isPulled));
  }
  const { window, rows, served } = piece;
  if (rows === undefined || served === undefined) return push(search, { ask: 'pull', window });
  return isPulled || isCapped(piece, search.rowCap)
    ? halve(search, { window, rows, served }, split)
    : push(search, { ask: 'pull', window });
};

/** A piece that was requested in this search and has landed. */
const judge = (search: GapSearch, piece: Pulled, split: SplitWindow): GapSearch => {
  if (isCapped(piece, search.rowCap)) return halve(search, piece, split);
  if (search.rowCap !== undefined && search.believesCap)
    return { ...search, believed: [...search.believed, piece] };
  return push(search, compare([piece], true));
};

const judgeHalves = (
  search: GapSearch,
  whole: Pulled,
  halves: readonly [Pulled, Pulled],
  split: SplitWindow,
): GapSearch => {
  const [first, second] = halves;
  const rows = first.rows + second.rows;
  // A cap hides rows older than a half that alone is full: few rows are no cap.
  const mayHide = whole.served >= smallestCap && (first.rows === 0 || second.rows === 0);
  const isSame = rows === whole.rows && !mayHide;
  if (isSame && !halves.some((half) => isCapped(half, search.rowCap))) return giveUp(search, whole.window);
  const showsCap =
    rows > whole.rows && whole.served >= smallestCap && halves.some(({ served }) => served === whole.served);
  const known = showsCap ? { ...search, rowCap: whole.served } : search;
  // The second half first, so that the first ends up in front.
  return judge(judge(known, second, split), first, split);
};

export type GapSearchRequest = {
  readonly maxRequests: number;
  readonly rowCap?: number | undefined;
  /** Omitted or true when another source shows that rows are missing; otherwise it is compared first. */
  readonly isShort?: boolean;
};

/**
 * Starts a search of a range that lacks rows, from the landings that cover it, sorted by time. Pieces that ended at the
 * known cap are halved at once; only the rest is examined. Pure.
 */
export const searchGap = (
  pieces: readonly LandedPiece[],
  { maxRequests, rowCap, isShort = true }: GapSearchRequest,
  split: SplitWindow,
): GapSearch => {
  const fresh: GapSearch = {
    todo: [],
    believed: [],
    believesCap: true,
    rowCap,
    unexplained: [],
    requests: 0,
    maxRequests,
  };
  if (!isShort) return push(fresh, compare(pieces));
  const capped = pieces.filter((piece) => isCapped(piece, rowCap));
  if (capped.length === 0) return descend(fresh, pieces, false, split);
  const rest = pieces.filter((piece) => !isCapped(piece, rowCap));
  const last = rest.length === 0 ? fresh : push(fresh, compare(rest));
  return capped.reduceRight((search, piece) => descend(search, [piece], false, split), last);
};

/** The next question; undefined when the search is over, or its requests are used up. Pure. */
export const nextQuestion = ({ todo, requests, maxRequests }: GapSearch): GapQuestion | undefined => {
  const [step] = todo;
  if (step === undefined || requests >= maxRequests) return undefined;
  if (step.ask === 'pull') return { ask: 'pull', window: step.window };
  if (step.ask === 'halves') return { ask: 'pull', window: step.halves[step.first === undefined ? 0 : 1] };
  const window = rangeOf(step.pieces);
  return window === undefined ? undefined : { ask: 'compare', window };
};

const step = (search: GapSearch, answer: GapAnswer, split: SplitWindow): GapSearch => {
  const [asked, ...todo] = search.todo;
  const rest = { ...search, todo };
  if (asked === undefined) return search;
  if (asked.ask === 'compare') {
    const isOver = answer.ask !== 'compare' || answer.result === 'agrees';
    return isOver ? rest : descend(rest, asked.pieces, asked.isPulled, split);
  }
  if (answer.ask !== 'pull') return rest;
  const { rows, served } = answer;
  // An answer longer than the cap shows that the cap does not exist, or no longer.
  const isRefuted = search.rowCap !== undefined && served > search.rowCap;
  const valid = isRefuted ? { ...rest, rowCap: undefined } : rest;
  if (asked.ask === 'pull') return judge(valid, { window: asked.window, rows, served }, split);
  const { whole, halves, first } = asked;
  if (first === undefined) return push(valid, { ...asked, first: { window: halves[0], rows, served } });
  return judgeHalves(valid, whole, [first, { window: halves[1], rows, served }], split);
};

/**
 * The search after an answer to its next question. A piece that lacks rows is requested again, then in halves, down to
 * one second; when two halves return exactly the rows of the whole, no request returns more. Pure.
 */
export const afterQuestion = (search: GapSearch, answer: GapAnswer, split: SplitWindow): GapSearch => {
  const next = step({ ...search, requests: search.requests + answer.requests }, answer, split);
  if (next.todo.length > 0 || next.believed.length === 0) return next;
  // Pieces assumed complete only because of the cap are checked once, and then piece by piece.
  const believed = next.believed.toSorted((left, right) => left.window.start - right.window.start);
  return { ...next, believed: [], believesCap: false, todo: [compare(believed)] };
};
