// Plants faults in the sources of a checkout, one after the other, and runs tests for each. One vitest runs them all: it starts once, and
// compiles only the file with the fault again.
//
//   node scripts/planter.mjs ROOT    reads a line of JSON for each fault: { file, from, to, tests }, `file` below `src` and `tests` filters of
//                                    paths; an empty `file` plants nothing. Writes a line of JSON for each: { passed, failed, printed } or { error }.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { createVitest } from 'vitest/node';

/** What runs tests in the checkout `root` while a fault is planted, and gives which of them failed. Its tier is that of the environment. */
export const openPlanter = async (root, options = {}) => {
  const vitest = await createVitest('test', {
    root,
    config: join(root, 'test/vitest.config.ts'),
    watch: false,
    reporters: [{}],
    ...options,
  });
  await vitest.standalone();

  const runTests = async (filters) => {
    const specifications = await vitest.globTestSpecifications(filters);
    if (specifications.length === 0) throw new RangeError(`no test file fits ${filters.join(' ')}`);
    const { unhandledErrors } = await vitest.runTestSpecifications(specifications);
    const files = new Set(specifications.map(({ moduleId }) => moduleId));
    const modules = vitest.state.getTestModules().filter(({ moduleId }) => files.has(moduleId));
    const tests = modules.flatMap(({ children }) => [...children.allTests()]);
    const errors = [
      ...unhandledErrors,
      ...modules.flatMap((module) => module.errors()),
      ...tests.flatMap((test) => test.result().errors ?? []),
    ];
    // A module of the run before says nothing of this one.
    vitest.state.clearFiles(vitest.getRootProject(), [...files]);
    return {
      passed: tests.filter((test) => test.result().state === 'passed').length,
      failed: tests.filter((test) => test.result().state === 'failed').length,
      printed: errors.map(({ message }) => message).join('\n'),
    };
  };

  return {
    /** Runs the tests with the text of a file in `src` changed. */
    plant: async (file, change, filters) => {
      const path = join(root, 'src', file);
      const text = readFileSync(path, 'utf8');
      try {
        writeFileSync(path, change(text));
        vitest.invalidateFile(path);
        return await runTests(filters);
      } finally {
        writeFileSync(path, text);
        vitest.invalidateFile(path);
      }
    },
    runTests,
    close: () => vitest.close(),
  };
};

/** Replaces what stands once in a text. */
const replaced = (file, from, to) => (text) => {
  if (text.split(from).length !== 2) throw new Error(`src/${file} does not contain once: ${from}`);
  return text.replace(from, () => to);
};

if (process.argv[1] === import.meta.filename) {
  const planter = await openPlanter(resolve(process.argv[2] ?? '.'), { bail: 1, testTimeout: 30_000 });
  for await (const line of createInterface({ input: process.stdin })) {
    const { file, from, to, tests } = JSON.parse(line);
    const answer = await (
      file === '' ? planter.runTests(tests) : planter.plant(file, replaced(file, from, to), tests)
    ).catch(({ message }) => ({ error: message }));
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
  await planter.close();
}
