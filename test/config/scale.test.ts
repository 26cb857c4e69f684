import { describe, expect, it } from 'vitest';
import { describeChanges, fingerprintConfig } from '../../src/config/index.ts';
import { goodEnv, goodSettings, load, memoryFiles, reportFiles } from './support/load.ts';

const fileOf = (count: number, lineOf: (index: number) => string) => ({
  'config/tollkeeper.yaml': goodSettings,
  'config/jobs/many.yaml': `jobs:\n${Array.from({ length: count }, (_, index) => lineOf(index)).join('\n')}\n`,
});

const secondsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
};

describe('ten thousand jobs', () => {
  const count = 10_000;
  const chain = (needOfFirst: string) =>
    fileOf(count, (index) => {
      const need = index === 0 ? needOfFirst : `j${index - 1}`;
      return `  j${index}: { kind: pull-logs, schedule: "7 * * * *", since: 2025-01-01, retries: { limit: 5 }, needs: [${need}] }`;
    });

  it('are read in seconds, each with its place, and looked at again in a moment', async () => {
    const files = chain('');
    let loaded: Awaited<ReturnType<typeof load>> | undefined;
    const seconds = await secondsOf(async () => {
      loaded = await load(files, goodEnv);
    });
    const { config, text, read, fingerprint } = loaded ?? {};
    expect(text).toBe('');
    expect(Object.keys(config?.jobs ?? {})).toHaveLength(count);
    for (const index of [0, 4321, count - 1])
      expect(config?.jobs[`j${index}`]?.place).toEqual({
        file: 'config/jobs/many.yaml',
        line: index + 2,
        column: 3,
      });
    // Quadratic work would take over twenty.
    expect(seconds).toBeLessThan(10);

    if (config === undefined || read === undefined) throw new Error('there is no config');
    let seen = '';
    const look = await secondsOf(async () => {
      seen = await fingerprintConfig(memoryFiles({ ...reportFiles, ...files }), read);
    });
    expect(seen).toBe(fingerprint);
    expect(look).toBeLessThan(0.5);
    const compare = await secondsOf(async () => {
      expect(describeChanges(config, config).changes).toEqual([]);
    });
    expect(compare).toBeLessThan(3);
  });

  it('that wait for one another in a ring are told as one ring', async () => {
    const { faults } = await load(chain(`j${count - 1}`), goodEnv);
    expect(faults).toHaveLength(1);
    expect(faults[0]?.message).toMatch(/^jobs wait for one another: j0 → j9999 → j9998 .* → … → j0$/);
  });

  it('with a fault each are all told of, in seconds', async () => {
    const files = fileOf(
      count,
      (index) => `  j${index}: { kind: pull-logs, since: 2025-01-01, account: mian, timeot: 1h }`,
    );
    let found = 0;
    const seconds = await secondsOf(async () => {
      const { faults } = await load(files, goodEnv);
      found = faults.length;
    });
    expect(found).toBe(2 * count);
    expect(seconds).toBeLessThan(15);
  });
});
