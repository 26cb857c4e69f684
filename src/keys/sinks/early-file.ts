import { constants } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { systemCode } from '../../core/index.ts';
import type { SinkProblem } from '../model/sink.ts';
import type { EarlyContext } from './definition.ts';
import { findTarget, problemOf, readOnlyFolder, targetProblems, type FileTarget } from './file-target.ts';
import type { SinkNames } from './fill.ts';
import type { SinkFiles } from './sink-files.ts';

const hasPlaceholder = (text: string): boolean => text.includes('{');

/** Whether the folder is writable; a missing one is only advisory, because the daemon may run elsewhere. */
const folderProblem = async (folder: string, files: SinkFiles): Promise<readonly SinkProblem[]> => {
  try {
    await files.access(folder, constants.W_OK | constants.X_OK);
    return [];
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT')
      return [
        {
          message: `the folder ${folder} does not exist on this machine`,
          advice: `create the folder ${folder}; if Tollkeeper runs on another machine, create it there`,
          isAdvisory: true,
        },
      ];
    if (code === 'EROFS') return [readOnlyFolder(folder)];
    if (code !== 'EACCES' && code !== 'EPERM') return [];
    return [
      {
        message: `the folder ${folder} may not be written by the user Tollkeeper runs as`,
        advice: 'the key is written to a temporary file in this folder and renamed',
      },
    ];
  }
};

type EarlyFile<Spec> = {
  readonly spec: Spec;
  readonly fill: (spec: Spec, names: SinkNames, cwd: string) => Spec;
  readonly more?: (filled: Spec, target: FileTarget) => readonly SinkProblem[];
};

/**
 * Problems of the file: mounted as a single file, not editable without loss, an owner that cannot be set, or a folder that is not writable. A missing
 * file is no problem.
 */
export const earlyFileProblems = async <Spec extends { readonly path: string }>(
  { spec, fill, more }: EarlyFile<Spec>,
  { names, cwd, files }: EarlyContext,
): Promise<readonly SinkProblem[]> => {
  const { service } = names;
  if (service === undefined) {
    const folder = dirname(spec.path.replaceAll('{account}', names.account));
    return hasPlaceholder(folder) ? [] : folderProblem(resolve(cwd, folder), files);
  }
  try {
    const filled = fill(spec, { ...names, service }, cwd);
    const target = await findTarget(filled.path, files);
    return [
      ...(await folderProblem(dirname(target.path), files)),
      ...(await targetProblems(target, files)),
      ...(more?.(filled, target) ?? []),
    ];
  } catch (error) {
    return [problemOf(error)];
  }
};
