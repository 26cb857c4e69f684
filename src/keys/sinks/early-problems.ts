import { constants } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isFault, systemCode } from '../../core/index.ts';
import type { SinkProblem } from '../sink.ts';
import { fillSpec } from './fill-spec.ts';
import { checkSize, findTarget, groupProblems, targetProblems, problemOf } from './file-target.ts';
import type { FileTarget } from './file-target.ts';
import { formOf, textOf } from './form-of.ts';
import { systemFiles } from './sink-files.ts';
import type { SinkFiles } from './sink-files.ts';
import type { FileSpec, SinkNames, SinkSpec } from './sink-spec.ts';

const hasPlaceholder = (text: string): boolean => text.includes('{');

/** Whether a folder that is there may be written; one that is missing may be made, or be there, where the daemon runs. */
const folderProblem = async (folder: string, files: SinkFiles): Promise<readonly SinkProblem[]> => {
  try {
    await files.access(folder, constants.W_OK | constants.X_OK);
    return [];
  } catch (error) {
    const code = systemCode(error);
    if (code !== 'EACCES' && code !== 'EROFS' && code !== 'EPERM') return [];
    const why =
      code === 'EROFS' ? 'is mounted read-only' : 'may not be written by the user Tollkeeper runs as';
    return [
      {
        message: `the folder ${folder} ${why}`,
        advice: 'a key is written beside its file and put in its place',
      },
    ];
  }
};

/** What stands in the file that a key cannot be written beside; a file that we may not read tells nothing. */
const contentProblems = async (
  spec: FileSpec,
  { path, stats }: FileTarget,
  files: SinkFiles,
): Promise<readonly SinkProblem[]> => {
  const form = formOf(spec);
  if (stats === undefined) return [];
  try {
    checkSize(path, stats);
    form.read(textOf(await files.readFile(path)));
    return [];
  } catch (error) {
    return isFault(error) ? [problemOf(error)] : [];
  }
};

/**
 * What can be seen, without any connection and without writing, to be in the way of a sink on this machine: a file that is
 * mounted by itself or that cannot be edited without loss, an owner we may not set, a folder that is not ours to write. What
 * is not there yet is no trouble.
 */
export const earlyProblems = async (
  spec: SinkSpec,
  /** `service` is missing where it is known only once the keys are listed. */
  names: Pick<SinkNames, 'account'> & { readonly service?: string | undefined },
  cwd: string,
  files: SinkFiles = systemFiles,
): Promise<readonly SinkProblem[]> => {
  if (spec.kind !== 'file' && spec.kind !== 'age') return [];
  const { service } = names;
  if (service === undefined) {
    const folder = dirname(spec.path.replaceAll('{account}', names.account));
    return hasPlaceholder(folder) ? [] : folderProblem(resolve(cwd, folder), files);
  }
  try {
    const filled = fillSpec(spec, { ...names, service }, cwd);
    if (filled.kind !== 'file' && filled.kind !== 'age') return [];
    const target = await findTarget(filled.path, files);
    return [
      ...(await folderProblem(dirname(target.path), files)),
      ...(await targetProblems(target, files)),
      ...(filled.kind === 'file' ? groupProblems(target, filled.mode) : []),
      ...(filled.kind === 'file' ? await contentProblems(filled, target, files) : []),
    ];
  } catch (error) {
    return [problemOf(error)];
  }
};
