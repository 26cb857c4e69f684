import { userInfo } from 'node:os';
import { stdin } from 'node:process';
import { createInterface } from 'node:readline/promises';
import { printable, type Deps } from '../../core/index.ts';

/** The user of the operating system, as the journal of keys names a person. */
export const personOf = (user: typeof userInfo = userInfo): string => {
  try {
    return `person ${user().username}`;
  } catch {
    // In a container the user often has an id but no name.
    return `person of uid ${process.getuid?.() ?? 'unknown'}`;
  }
};

export type Ask = ((question: string) => Promise<boolean>) | undefined;

/** Undefined when the command runs in a script. */
export const askOnTerminal = ({ stderr, signal }: Deps): Ask =>
  stdin.isTTY && stderr.isTerminal
    ? async (question) => {
        const lines = createInterface({ input: stdin, output: process.stderr });
        try {
          const answer = await lines.question(`${printable(question)} [y/N] `, { signal });
          return /^y(es)?$/i.test(answer.trim());
        } finally {
          lines.close();
        }
      }
    : undefined;
