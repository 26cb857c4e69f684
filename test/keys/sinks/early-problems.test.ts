import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { earlyProblems, type SinkSpec } from '../../../src/keys/index.ts';
import { systemFiles } from '../../../src/keys/sinks/sink-files.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollkeeper-early-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const fileSpec = (path: string): SinkSpec => ({
  kind: 'file',
  path,
  holds: { kind: 'variable', name: 'KEY' },
});
const billing = { account: 'main', service: 'billing' };

describe('an early problem of a sink', () => {
  it('is a warning for a folder that does not exist, which may exist where the daemon runs', async () => {
    const missing = join(folder, 'nowhere');
    expect(await earlyProblems(fileSpec('nowhere/{service}.env'), billing, folder)).toEqual([
      {
        message: expect.stringContaining(`${missing} does not exist`) as string,
        advice: expect.stringContaining(`create the folder ${missing};`) as string,
        isAdvisory: true,
      },
    ]);
  });

  it('does not exist for a file of ours, nor for a file that does not exist yet', async () => {
    await writeFile(join(folder, 'billing.env'), 'KEY=x\n', { mode: 0o600 });
    expect(await earlyProblems(fileSpec('{service}.env'), billing, folder)).toEqual([]);
    expect(await earlyProblems(fileSpec('{service}.env'), { account: 'main' }, folder)).toEqual([]);
    expect(await earlyProblems(fileSpec('{service}/key.env'), { account: 'main' }, folder)).toEqual([]);
  });

  it('is an owner that we may not set, and a folder that we may not write', async () => {
    await writeFile(join(folder, 'others.env'), 'KEY=x\n', { mode: 0o600 });
    const files = {
      ...systemFiles,
      // Whoever runs the tests.
      lstat: async (path: string) => Object.assign(await systemFiles.lstat(path), { uid: 0 }),
      uid: () => 4711,
    };
    const [owner] = await earlyProblems(fileSpec('others.env'), billing, folder, files);
    expect(owner?.message).toMatch(/cannot change the owner/);
    const closed = join(folder, 'closed');
    await mkdir(closed);
    await chmod(closed, 0o500);
    const denied = Object.assign(new Error('EACCES'), { code: 'EACCES' });
    const [shut] = await earlyProblems(fileSpec('closed/{service}.env'), { account: 'main' }, folder, {
      ...systemFiles,
      access: () => Promise.reject(denied),
    });
    expect(shut?.message).toContain('closed may not be written');
  });

  it('is a file that cannot be edited without loss', async () => {
    const contents = 'sk-AAAAoldAAAAoldAAAAoldAAAA';
    await writeFile(join(folder, 'shell.env'), `A=1\nBILLING_KEY=${contents}; export BILLING_KEY\n`, {
      mode: 0o600,
    });
    await writeFile(join(folder, 'app.json'), '{"key": ', { mode: 0o600 });
    const variable = {
      ...fileSpec('shell.env'),
      holds: { kind: 'variable', name: '{service}_KEY' },
    } as const;
    const named = { account: 'main', service: 'BILLING' };
    const problems = await earlyProblems(variable, named, folder);
    expect(problems).toMatchObject([
      { message: expect.stringContaining(`BILLING_KEY on line 2 of ${join(folder, 'shell.env')}`) },
    ]);
    expect(JSON.stringify(problems)).not.toContain(contents);
    const pointer = { ...fileSpec('app.json'), holds: { kind: 'pointer', pointer: '/key' } } as const;
    expect(await earlyProblems(pointer, billing, folder)).toMatchObject([
      { message: expect.stringContaining('not valid JSON') },
    ]);
    const unreadable: typeof systemFiles.open = (name, ...rest) =>
      name.endsWith('shell.env')
        ? Promise.reject(Object.assign(new Error('EACCES'), { code: 'EACCES' }))
        : systemFiles.open(name, ...rest);
    const unseen = await earlyProblems(variable, named, folder, { ...systemFiles, open: unreadable });
    expect(unseen).toEqual([]);
  });

  it('is a service name that leads out of its location', async () => {
    const [problem] = await earlyProblems(
      fileSpec('secrets/{service}'),
      { account: 'main', service: '..' },
      folder,
    );
    expect(problem?.message).toMatch(/lead to another location/);
  });
});
