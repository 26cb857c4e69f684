/** A planted fault in `src`, and the test file that must fail for it. */
export type Mutant = {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly tests: string;
};

export const mutant = (name: string, tests: string, file: string, from: string, to: string): Mutant => ({
  name,
  file,
  from,
  to,
  tests: `test/${tests}.test.ts`,
});
