import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { lineAfter, noHead } from '../../../src/keys/journal/audit-line.ts';
import { openFolder, defaultConfig, type Folder } from '../../support/program.ts';
import { unreachable } from '../support/fixture.ts';

let folder: Folder;
beforeEach(async () => {
  folder = await openFolder();
  await mkdir(join(folder.path, 'data', 'audit'), { recursive: true });
});
afterEach(() => folder[Symbol.asyncDispose]());

const env = unreachable;
const run = (...argv: string[]) => folder.run(['keys', 'audit', ...argv], { env });

const write = async (steps: number): Promise<{ readonly lines: string[]; readonly head: string }> => {
  const lines: string[] = [];
  let head = noHead;
  for (let step = 1; step <= steps; step += 1) {
    const line = lineAfter(head, JSON.stringify({ what: 'planned', step }));
    lines.push(line.text);
    head = line.head;
  }
  return { lines, head: head.hash };
};

it('`keys audit` checks the file beside the configured database without any other file', async () => {
  await defaultConfig(folder);
  const { lines, head } = await write(3);
  await folder.write('data/audit/keys.jsonl', `${lines.join('\n')}\n`);
  const ran = await run('--verify');
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toBe(
    `${join(folder.path, 'data', 'audit', 'keys.jsonl')}\n3 steps in an unbroken chain\nhead ${head}\n`,
  );
});

it.each([
  ['changed', (lines: string[]) => lines.with(1, lines[1]?.replace('planned', 'deleted') ?? ''), 2],
  ['taken out', (lines: string[]) => lines.toSpliced(1, 1), 2],
  ['put in', (lines: string[]) => [...lines, lines[0] ?? ''], 4],
])(
  '`keys audit` detects a line that was %s, with only the file and no configuration',
  async (_, change, line) => {
    const { lines } = await write(3);
    await writeFile(join(folder.path, 'copy.jsonl'), `${change(lines).join('\n')}\n`);
    const ran = await run('--verify', 'copy.jsonl', '--json');
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([1, { lines: line - 1, broken: { line } }]);
    const page = (await run('--verify', 'copy.jsonl')).stdout;
    expect(page).toMatch(new RegExp(`broken in line ${line}: `));
    expect(page).toMatch(/not valid evidence/);
  },
);

it('`keys audit` gives the next step for a file that fails verification and for a truncated last line', async () => {
  await defaultConfig(folder);
  const { lines } = await write(3);
  const file = join(folder.path, 'data', 'audit', 'keys.jsonl');
  await folder.write('data/audit/keys.jsonl', `${lines.toSpliced(1, 1).join('\n')}\n`);
  const ran = await run('--verify');
  expect(ran.code).toBe(1);
  expect(ran.stdout).toContain(`what to do: move ${file} aside`);
  expect(ran.stdout).toContain('rewritten');
  expect(ran.stdout).not.toContain('crash');
  await folder.write('data/audit/keys.jsonl', lines.join('\n').slice(0, -20));
  const torn = await run('--verify', '--json');
  expect([torn.code, JSON.parse(torn.stdout)]).toMatchObject([
    1,
    { broken: { line: 3 }, advice: expect.stringContaining('an incomplete last line') as string },
  ]);
});

it('`keys audit` reports a missing file and a missing argument', async () => {
  await defaultConfig(folder);
  expect(await run('--verify')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/keys\.jsonl cannot be read \(ENOENT\)\n.*first key operation/) as string,
  });
  expect((await run()).code).toBe(2);
});

it('`keys audit` and `keys apply` refuse a FIFO and a device without waiting for them', async () => {
  await defaultConfig(folder);
  const fifo = join(folder.path, 'fifo');
  execFileSync('mkfifo', [fifo]);
  for (const path of [fifo, '/dev/zero'])
    for (const ran of [
      await run('--verify', path),
      await folder.run(['keys', 'apply', path, '--yes'], { env }),
    ])
      expect(ran).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`${path} cannot be read (`) as string,
      });
});
