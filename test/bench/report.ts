/** What was measured, a line each, beside what it is to be. */
export type BenchReport = {
  readonly title: (text: string) => void;
  /** With a target the value is to be below it. */
  readonly figure: (name: string, value: number, unit: string, target?: number) => void;
  /** A figure in words, with nothing that it is to be. */
  readonly row: (name: string, message: string) => void;
  readonly missed: () => number;
};

export const createReport = (write: (text: string) => void): BenchReport => {
  let missed = 0;
  return {
    title: (text) => write(`\n${text}\n`),
    figure: (name, value, unit, target) => {
      const isMet = target === undefined || value < target;
      if (!isMet) missed += 1;
      const message = target === undefined ? '' : `   below ${target} ${unit}: ${isMet ? 'met' : 'MISSED'}`;
      write(`  ${name.padEnd(40)}${value.toFixed(2).padStart(9)} ${unit}${message}\n`);
    },
    row: (name, message) => write(`  ${name.padEnd(40)} ${message}\n`),
    missed: () => missed,
  };
};
