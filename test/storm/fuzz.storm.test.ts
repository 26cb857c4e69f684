import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { isLong } from '../support/storm.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const seconds = isLong ? 1200 : 30;

it(
  'fuzzed responses, exports, YAML, SQL and requests stay within their bounds of CPU and memory, and raise only known errors',
  { timeout: (seconds + 600) * 1000 },
  async () => {
    const { stdout } = await promisify(execFile)(
      'npm',
      ['run', '-s', 'fuzz', '--', '--seconds', String(seconds)],
      {
        cwd: root,
      },
    ).catch((error: unknown) => error as { readonly stdout: string });
    process.stdout.write(stdout);
    expect(stdout.match(/^\w+ +\d+ cases/gm)).toHaveLength(5);
    expect(stdout).not.toContain('failed');
  },
);
