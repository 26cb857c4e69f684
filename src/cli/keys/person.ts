import { userInfo } from 'node:os';
import { stdin } from 'node:process';
import { createInterface } from 'node:readline/promises';
import { printable, type Deps } from '../../core/index.ts';

/** Who gives an order, as the journal of keys names a person: the user of the operating system. */
export const personOf = (user: typeof userInfo = userInfo): string => {
  try {
    return `person ${user().username}`;
  } catch {
    // In a container the user often has a number and no name.
    return `person of uid ${process.getuid?.() ?? 'unknown'}`;
  }
};

/** Whether a person agrees; undefined where there is nobody to ask. */
export type Ask = ((question: string) => Promise<boolean>) | undefined;

/** Asks on the terminal; nobody where the command runs in a script. */
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
