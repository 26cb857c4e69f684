import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseYaml } from '../../src/core/yaml.ts';
import type { YamlPath } from '../../src/core/index.ts';
import { parseFile, readInPieces } from '../../src/config/load/big-file.ts';
import { describeChanges, fingerprintConfig } from '../../src/config/index.ts';
import { once } from '../support/storm.ts';
import { goodEnv, load, memoryFiles, reportFiles } from './support/load.ts';
import { chainedJobs, faultyJobs } from './support/many-jobs.ts';

const pathsOf = (value: unknown, path: YamlPath = []): YamlPath[] => [
  path,
  ...(typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, item]) =>
        pathsOf(item, [...path, Array.isArray(value) ? Number(key) : key]),
      )
    : []),
];

const bodies = [
  '{ kind: report, needs: [a, "b"], x: null }',
  '\n    kind: report\n    mail: { to: [a@b.c] }',
  '\n    text: |\n      job-9: no job\n\n      more\n    kind: report',
  '\n    text: "one\n      job: two"\n    list:\n    - a\n    -\n      b: 1',
  '   # nothing below',
  '\n    kind: report\n\n# at the margin\n\n    timeout: 1h   ',
] as const;

/** A file of many jobs, in the manners people write them. */
const manyJobs = fc
  .record({
    head: fc.constantFrom('', '# yaml-language-server: $schema=x\n\n', '---\n'),
    indent: fc.constantFrom('  ', '   ', ' '),
    bodies: fc.array(fc.constantFrom(...bodies), { minLength: 900, maxLength: 1100 }),
    newline: fc.constantFrom('\n', '\r\n'),
    quoted: fc.boolean(),
  })
  .map(({ head, indent, bodies: all, newline, quoted }) => {
    const jobs = all.map((body, index) => {
      const name = quoted && index % 3 === 0 ? `"job-${index}"` : `job-${index}`;
      return `${indent}${name}: ${body.replaceAll('\n    ', `\n  ${indent}`)}`;
    });
    return `${head}jobs: # all of them\n\n${jobs.join('\n')}\n`.replaceAll('\n', newline);
  });

const padding = Array.from(
  { length: 3000 },
  (_, index) => `  p${index}: { kind: report, n: ${index} }\n`,
).join('');

describe('a large job file', () => {
  it('read in parts gives the same values and positions as read whole', async () => {
    await fc.assert(
      fc.asyncProperty(manyJobs, async (text) => {
        const whole = parseYaml(text);
        const pieces = await readInPieces(text);
        expect(whole.faults).toEqual([]);
        expect(pieces?.value).toEqual(whole.value);
        for (const path of [
          ...pathsOf(whole.value),
          ['jobs', 'nothing'],
          ['nothing'],
          ['jobs', 'job-7', 'no'],
        ]) {
          expect(pieces?.positionOf(path), path.join('.')).toEqual(whole.positionOf(path));
          expect(pieces?.positionOfKey(path), path.join('.')).toEqual(whole.positionOfKey(path));
        }
      }),
      { numRuns: once(8) },
    );
  });

  it.each([
    ['another section', `jobs:\n${padding}other: 1\n`],
    ['a second document', `jobs:\n${padding}---\njobs: {}\n`],
    ['jobs in a flow', `jobs: { a: 1,\n${padding.replaceAll('}\n', '},\n')} }\n`],
    ['an anchor used far below', `jobs:\n  a: &a { kind: report }\n${padding}  z: *a\n`],
    ['a job declared twice', `jobs:\n  a: { kind: report }\n${padding}  a: { kind: report }\n`],
    ['a quote that is not closed', `jobs:\n  a: "x\n${padding}`],
    ['a slip at the end', `jobs:\n${padding}  z: { kind: [ }\n`],
    ['a name that is a prototype', `jobs:\n  __proto__: { kind: report }\n${padding}`],
    ['settings', `accounts:\n${padding}`],
  ])('is read whole when it contains %s', async (_, text) => {
    expect(await readInPieces(text)).toBeUndefined();
    const [read, whole] = [await parseFile(text), parseYaml(text)];
    expect(read.value).toEqual(whole.value);
    expect(read.faults).toEqual(whole.faults);
  });
});

describe('ten thousand jobs', () => {
  const count = 10_000;

  it('are read with their positions and compared after a reload', async () => {
    const files = chainedJobs(count);
    const { config, text, read, fingerprint } = await load(files, goodEnv);
    expect(text).toBe('');
    expect(Object.keys(config?.jobs ?? {})).toHaveLength(count);
    for (const index of [0, 4321, count - 1])
      expect(config?.jobs[`j${index}`]?.place).toEqual({
        file: 'config/jobs/many.yaml',
        line: index + 2,
        column: 3,
      });
    if (config === undefined || read === undefined) throw new Error('there is no config');
    expect(await fingerprintConfig(memoryFiles({ ...reportFiles, ...files }), read)).toBe(fingerprint);
    expect(describeChanges(config, config).changes).toEqual([]);
  });

  it('that depend on each other in a cycle are reported as one cycle', async () => {
    const { faults } = await load(chainedJobs(count, `j${count - 1}`), goodEnv);
    expect(faults).toHaveLength(1);
    expect(faults[0]?.message).toMatch(/^the jobs wait for each other: j0 → j9999 → j9998 .* → … → j0$/);
  });

  it('with two faults each are reported with all of them', async () => {
    const { faults } = await load(faultyJobs(count), goodEnv);
    expect(faults).toHaveLength(2 * count);
  });
});
