import { basename, dirname, relative } from 'node:path';
import { printable, shellWord, type Deps, type OutputStream } from '../../core/index.ts';

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

type Invocation = NonNullable<Deps['invocation']>;

/** How a person calls the program again from the folder: `tollkeeper` where it is on the path. */
export const commandForm = ({ script, npmCommand }: Invocation, cwd: string): string => {
  if (npmCommand === 'exec' || dirname(dirname(script)) === cwd) return 'npx tollkeeper';
  if (basename(script) === 'tollkeeper') return 'tollkeeper';
  const path = relative(cwd, script);
  return `node ${shellWord(path.startsWith('..') ? script : path)}`;
};

/** Writes the commands that texts name in the form in which they can be called here. */
export const withCommandForm = (
  output: OutputStream,
  form: string,
  commands: readonly string[],
): OutputStream => {
  if (form === 'tollkeeper') return output;
  const named = new RegExp(`(?<![\\w/.-])tollkeeper (?=(?:${commands.join('|')})\\b)`, 'g');
  return { ...output, write: (text) => output.write(text.replaceAll(named, () => `${form} `)) };
};
