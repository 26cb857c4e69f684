import type { Screen, Style } from './paint.ts';
import { oneLine, wrap } from './text.ts';

export const lines = (
  text: string,
  indent: number,
  { width, paint }: Screen,
  style: Style = 'plain',
): readonly string[] =>
  (width === undefined ? [oneLine(text)] : wrap(oneLine(text), width - indent)).map(
    (line) => `${' '.repeat(indent)}${paint(style, line)}`,
  );
