import fc from 'fast-check';
import { expect } from 'vitest';
import { isLong } from './storm.ts';

/** Milliseconds for which one property of the short storm draws cases. */
const share = 7000;

/** Of this process: it runs many files of tests, one after the other, and this module again for each. */
const installed = Symbol.for('tollkeeper tests: properties end in time');

if (!isLong && !(installed in globalThis)) {
  Object.defineProperty(globalThis, installed, { value: true });
  // Ends a property between two cases: those of fast-check itself leave a case running.
  fc.installGlobalPlugin(() => {
    const ends = performance.now() + share;
    let begun = 0;
    return {
      decorateRun: (nestedRun) => (value) => {
        begun += 1;
        return begun > 1 && performance.now() >= ends ? new fc.PreconditionFailure(true) : nestedRun(value);
      },
      onAllRunsComplete: ({ failed, interrupted, numRuns, runConfiguration }) => {
        if (failed || !interrupted) return;
        const { currentTestName = 'a property' } = expect.getState();
        process.stdout.write(
          `${currentTestName}: ${numRuns} of ${runConfiguration.numRuns ?? 100} cases in ${share / 1000} s\n`,
        );
      },
    };
  });
}
