import type { Deps, OutputStream } from '../../core/index.ts';

export type Style = 'plain' | 'title' | 'quiet' | 'good' | 'bad' | 'warn' | 'busy';

export type Paint = (style: Style, text: string) => string;

const codes: Readonly<Record<Style, number>> = {
  plain: 0,
  title: 1,
  quiet: 2,
  good: 32,
  bad: 31,
  warn: 33,
  busy: 36,
};

export const noPaint: Paint = (_, text) => text;

const terminalPaint: Paint = (style, text) =>
  style === 'plain' || text === '' ? text : `\u001B[${codes[style]}m${text}\u001B[0m`;

/** What a page is drawn on. */
export type Screen = {
  readonly paint: Paint;
  /** Columns; missing where lines may be as long as they like. */
  readonly width?: number;
};

/** Colour and a width on a terminal, neither in a file or a pipe. NO_COLOR (no-color.org) and a dumb terminal turn colour off. */
export const screenOf = (output: OutputStream, env: Deps['env']): Screen => {
  if (!output.isTerminal) return { paint: noPaint };
  const isPlain = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  // A terminal that tells no width, or one of a few columns, is written to as if it had a sensible one.
  return { paint: isPlain ? noPaint : terminalPaint, width: Math.max(output.columns, 40) };
};
