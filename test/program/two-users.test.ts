import { execFile } from 'node:child_process';
import { chmod, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { buildProgram } from './support/built-program.ts';
import { dateBefore, openFixture, yearly } from './support/fixture.ts';

/** A user whom nothing belongs to. */
const nobody = 65_534;

/** Run by the other user: what it can read, write and connect to below a folder. */
const trespass = `
import { createConnection } from 'node:net';
import { appendFileSync, mkdirSync, readFileSync, readdirSync, lstatSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
const found = [];
const attempt = (what, work) => {
  try {
    work();
    found.push(what);
  } catch {}
};
const walk = (path) => {
  const kind = lstatSync(path, { throwIfNoEntry: false });
  if (kind === undefined) return;
  if (kind.isSocket()) return sockets.push(path);
  if (!kind.isDirectory()) {
    attempt('read ' + path, () => readFileSync(path));
    attempt('write ' + path, () => appendFileSync(path, ''));
    attempt('rename ' + path, () => renameSync(path, path + '.moved'));
    return;
  }
  attempt('create in ' + path, () => mkdirSync(join(path, 'intruder')));
  attempt('link in ' + path, () => symlinkSync('/etc/passwd', join(path, 'link')));
  let names = [];
  attempt('list ' + path, () => { names = readdirSync(path); });
  for (const name of names) walk(join(path, name));
};
const sockets = [];
for (const path of process.argv.slice(2)) walk(path);
for (const path of sockets)
  await new Promise((resolve) => {
    const socket = createConnection({ path });
    socket.on('connect', () => { found.push('connect to ' + path); socket.destroy(); resolve(); });
    socket.on('error', resolve);
  });
console.log(JSON.stringify(found));
`;

const isRoot = process.getuid?.() === 0;

it.skipIf(!isRoot)(
  'another local user can read, change and connect to nothing of a daemon, its data, its sinks and its reports (needs root to become that user)',
  async () => {
    await using program = await buildProgram();
    await using fixture = await openFixture(program);
    const { path } = fixture.folder;
    // Only the modes of our own files protect them: folders above are open to everybody.
    const parents = [path, dirname(path)].filter(
      (folder) => folder !== tmpdir() || basename(folder) !== 'tmp',
    );
    for (const folder of parents) await chmod(folder, 0o755);
    await fixture.jobs(
      `pull-logs: { kind: pull-logs, schedule: "7 * * * *", since: ${dateBefore(3)} }`,
      `daily: { kind: report, schedule: "${yearly()}", report: spend-summary, mail: { to: [ops@example.com] } }`,
      `rotate: { kind: rotate-keys, schedule: "${yearly()}", keys: { name: "growth*" }, every: 30d, overlap: 1h, deliver: [{ file: { path: "secrets/{service}.env", variable: KEY } }] }`,
    );
    const daemon = await fixture.serve();
    for (const job of ['pull-logs', 'daily', 'rotate']) await fixture.command('run', job);
    expect(
      (await fixture.command('report', 'spend-summary', '--period', 'yesterday', '--out', 'built')).code,
    ).toBe(0);
    const ours = (await readdir(path)).filter((name) => name !== 'config').map((name) => join(path, name));
    expect(ours.map((folder) => basename(folder))).toEqual(expect.arrayContaining(['data', 'built']));
    const script = await fixture.folder.write('trespass.mjs', trespass);
    await chmod(script, 0o755);
    // One that everybody may read, so that the script is known to find it.
    const open = await fixture.folder.write('open.txt', 'open');
    await chmod(open, 0o644);
    const { stdout } = await promisify(execFile)(process.execPath, [script, ...ours, path], {
      uid: nobody,
      gid: nobody,
      cwd: '/',
      env: {},
    });
    const found = (JSON.parse(stdout) as readonly string[]).filter(
      (what) => ![`list ${path}`, `read ${script}`].includes(what) && !what.includes(`${path}/config`),
    );
    expect(found).toEqual([`read ${open}`]);
    expect((await fixture.command('status')).stdout).toContain('pull-logs');
    daemon.kill('SIGTERM');
    expect((await daemon.ended).signal).toBeNull();
  },
);
