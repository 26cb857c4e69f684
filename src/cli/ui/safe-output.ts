import { printable, type OutputStream } from '../../core/index.ts';

/** What rewrites the line of progress: only where a write begins with it. */
const newLine = '\r\u001B[2K';

const escape = String.fromCharCode(27);

/** The styles of `paint`; they change colours and nothing else. */
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

/** Everything the program prints passes here: names, messages and file contents cannot control a terminal. */
export const safeOutput = (output: OutputStream): OutputStream => ({
  isTerminal: output.isTerminal,
  columns: output.columns,
  write: (text) => output.write(output.isTerminal ? onTerminal(text) : printable(text)),
});
