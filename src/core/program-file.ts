import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

const isRunnable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
};

/** Whether the system finds such a program; does not run it. */
export const isProgram = (
  program: string,
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): boolean =>
  program.includes('/')
    ? isRunnable(resolve(cwd, program))
    : (env['PATH'] ?? '')
        .split(delimiter)
        .some((folder) => folder !== '' && isRunnable(join(folder, program)));
