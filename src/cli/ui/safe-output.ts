import { printable, type OutputStream } from '../../core/index.ts';

/** Rewrites the progress line; allowed only at the beginning of a write. */
const newLine = '\r\u001B[2K';

const escape = String.fromCharCode(27);

/** The styles of `paint`, which change only colours. */
const styles = new RegExp(`(${escape}\\[(?:[012]|3[1236])m)`);

const onTerminal = (text: string): string => {
  const start = text.startsWith(newLine) ? newLine : '';
  return (
    start +
    text
      .slice(start.length)
      .split(styles)
      .map((part, index) => (index % 2 === 1 ? part : printable(part)))
      .join('')
  );
};

/** All output passes through here, so that names, messages and file contents cannot control a terminal. */
export const safeOutput = (output: OutputStream): OutputStream => ({
  isTerminal: output.isTerminal,
  columns: output.columns,
  write: (text) => output.write(output.isTerminal ? onTerminal(text) : printable(text)),
});
