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

export type Screen = {
  readonly paint: Paint;
  /** Columns; unlimited when missing. */
  readonly width?: number;
};

/** Colour and a width only on a terminal. NO_COLOR (no-color.org) and a dumb terminal disable colour. */
export const screenOf = (output: OutputStream, env: Deps['env']): Screen => {
  if (!output.isTerminal) return { paint: noPaint };
  const isPlain = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  // Some terminals report no width, or a few columns.
  return { paint: isPlain ? noPaint : terminalPaint, width: Math.max(output.columns, 40) };
};
