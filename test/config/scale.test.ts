import { describe, expect, it } from 'vitest';
import { describeChanges, fingerprintConfig } from '../../src/config/index.ts';
import { goodEnv, goodSettings, load, memoryFiles, reportFiles } from './support/load.ts';

const fileOf = (count: number, lineOf: (index: number) => string) => ({
  'config/tollkeeper.yaml': goodSettings,
  'config/jobs/many.yaml': `jobs:\n${Array.from({ length: count }, (_, index) => lineOf(index)).join('\n')}\n`,
});

describe('ten thousand jobs', () => {
  const count = 10_000;
  const chain = (needOfFirst: string) =>
    fileOf(count, (index) => {
      const need = index === 0 ? needOfFirst : `j${index - 1}`;
      return `  j${index}: { kind: pull-logs, schedule: "7 * * * *", since: 2025-01-01, retries: { limit: 5 }, needs: [${need}] }`;
    });

  it('are read, each with its place, and looked at again', async () => {
    const files = chain('');
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

  it('that wait for one another in a ring are told as one ring', async () => {
    const { faults } = await load(chain(`j${count - 1}`), goodEnv);
    expect(faults).toHaveLength(1);
    expect(faults[0]?.message).toMatch(/^jobs wait for one another: j0 → j9999 → j9998 .* → … → j0$/);
  });

  it('with two faults each are reported with all of them', async () => {
    const files = fileOf(
      count,
      (index) => `  j${index}: { kind: pull-logs, since: 2025-01-01, account: mian, timeot: 1h }`,
    );
    const { faults } = await load(files, goodEnv);
    expect(faults).toHaveLength(2 * count);
  });
});
