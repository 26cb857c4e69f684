import { expect, it } from 'vitest';
import { goodEnv, goodSettings, load } from './support/load.ts';

it('a chain of five thousand jobs is read in seconds, and a ring of them is found', async () => {
  const count = 5000;
  const jobs = (needOfFirst: string): string =>
    `jobs:\n${Array.from({ length: count }, (_, index) => {
      const need = index === 0 ? needOfFirst : `j${index - 1}`;
      return `  j${index}: { kind: pull-logs, schedule: "7 * * * *", since: 2025-01-01, needs: [${need}] }`;
    }).join('\n')}\n`;
  const files = (needOfFirst: string) => ({
    'config/tollkeeper.yaml': goodSettings,
    'config/jobs/many.yaml': jobs(needOfFirst),
  });
  const started = performance.now();
  const { config, text } = await load(files(''), goodEnv);
  const seconds = (performance.now() - started) / 1000;
  expect(text).toBe('');
  expect(Object.keys(config?.jobs ?? {})).toHaveLength(count);
  expect(config?.jobs[`j${count - 1}`]?.place).toEqual({
    file: 'config/jobs/many.yaml',
    line: count + 1,
    column: 3,
  });
  // Quadratic work would take over ten.
  expect(seconds).toBeLessThan(8);

  const { faults } = await load(files(`j${count - 1}`), goodEnv);
  expect(faults).toHaveLength(1);
  expect(faults[0]?.message).toMatch(/^jobs wait for one another: j0 → j4999 → j4998 .* → … → j0$/);
});
