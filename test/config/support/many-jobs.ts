import { goodSettings, type Files } from './load.ts';

const filesOf = (count: number, lineOf: (index: number) => string): Files => ({
  'config/tollkeeper.yaml': goodSettings,
  'config/jobs/many.yaml': `jobs:\n${Array.from({ length: count }, (_, index) => lineOf(index)).join('\n')}\n`,
});

/** Jobs `j0`, `j1` and so on, of which each needs the one before it. */
export const chainedJobs = (count: number, needOfFirst = ''): Files =>
  filesOf(count, (index) => {
    const need = index === 0 ? needOfFirst : `j${index - 1}`;
    return `  j${index}: { kind: pull-logs, schedule: "7 * * * *", since: 2025-01-01, retries: { limit: 5 }, needs: [${need}] }`;
  });

/** Jobs with two faults each. */
export const faultyJobs = (count: number): Files =>
  filesOf(count, (index) => `  j${index}: { kind: pull-logs, since: 2025-01-01, account: mian, timeot: 1h }`);
