import { describe, expect, it } from 'vitest';
import { describeChanges, fingerprintConfig } from '../../src/config/index.ts';
import { goodEnv, load, memoryFiles, reportFiles } from './support/load.ts';
import { chainedJobs, faultyJobs } from './support/many-jobs.ts';

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
