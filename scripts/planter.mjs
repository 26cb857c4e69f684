// Plants faults in the sources of a checkout, one after the other, and runs tests for each: `node scripts/planter.mjs`, in the checkout. One
// vitest runs them all: it starts once, and compiles only the file with the fault again. Its tier is that of the environment.
//
// Reads a line of JSON for each fault, { file, from, to, tests }: `file` is below `src`, and `tests` are filters of paths. An empty `file` plants
// nothing. Writes a line of JSON for each: { passed, failed, printed }, or { error } if no test ran. Stops a run at the first test that fails.
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { createVitest } from 'vitest/node';

const vitest = await createVitest('test', {
  root: process.cwd(),
  config: resolve('test/vitest.config.ts'),
  watch: false,
  reporters: [{}],
  bail: 1,
  testTimeout: 30_000,
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
  // Results of this run say nothing about the next one.
  vitest.state.clearFiles(vitest.getRootProject(), [...files]);
  const count = (state) => tests.filter((test) => test.result().state === state).length;
  return {
    passed: count('passed'),
    failed: count('failed'),
    printed: errors.map(({ message }) => message).join('\n'),
  };
};

const plant = async ({ file, from, to, tests }) => {
  if (file === '') return runTests(tests);
  const path = resolve('src', file);
  const text = readFileSync(path, 'utf8');
  if (text.split(from).length !== 2) throw new Error(`src/${file} does not contain once: ${from}`);
  try {
    writeFileSync(path, text.replace(from, () => to));
    vitest.invalidateFile(path);
    return await runTests(tests);
  } finally {
    writeFileSync(path, text);
    vitest.invalidateFile(path);
  }
};

for await (const line of createInterface({ input: process.stdin })) {
  const answer = await plant(JSON.parse(line)).catch(({ message }) => ({ error: message }));
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await vitest.close();
