import type { OutputStream } from '../core/index.ts';

/** Wider lines are hard to read, and do not fit every terminal. */
const mostColumns = 100;

/** Breaks a text at its spaces, except within a word that is longer than a line. `indent` begins each further line. */
export const wrap = (text: string, columns: number, indent: string): string => {
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of text.split(/(?<=\S) /u)) {
    const longer: string = line === undefined ? word : `${line} ${word}`;
    if (line === undefined || longer.length <= columns) line = longer;
    else {
      lines.push(line);
      line = `${indent}${word}`;
    }
  }
  return [...lines, line ?? ''].join('\n');
};

export type StepPrinter = {
  /** Prints a line as it is, wrapped. */
  readonly say: (line: string) => void;
  /** Prints the next number before the line. */
  readonly step: (line: string) => void;
};

export const printSteps = (output: OutputStream, endProgress: () => void): StepPrinter => {
  const columns = Math.min(mostColumns, output.columns);
  let steps = 0;
  const say = (line: string): void => {
    endProgress();
    output.write(`${wrap(line, columns, '   ')}\n`);
  };
  return { say, step: (line) => say(`${(steps += 1)}. ${line}`) };
};
