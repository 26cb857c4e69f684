import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const project = resolve(import.meta.dirname, '../..');

/** The rooms as plain JavaScript in a folder, since a child process runs without the test's transformer. Gives the folder. */
export const compileRooms = async (folder: string, rooms: readonly string[]): Promise<string> => {
  const out = join(folder, 'compiled');
  await mkdir(out);
  await symlink(join(project, 'node_modules'), join(out, 'node_modules'));
  await writeFile(join(out, 'package.json'), '{"type":"module"}');
  const config = join(out, 'tsconfig.json');
  await writeFile(
    config,
    JSON.stringify({
      extends: join(project, 'src/tsconfig.json'),
      compilerOptions: {
        outDir: out,
        rootDir: join(project, 'src'),
        noCheck: true,
        sourceMap: false,
        inlineSources: false,
      },
      files: rooms.map((room) => join(project, 'src', room, 'index.ts')),
      include: [],
    }),
  );
  await promisify(execFile)(process.execPath, [
    join(project, 'node_modules/typescript/bin/tsc'),
    '-p',
    config,
  ]);
  return out;
};
