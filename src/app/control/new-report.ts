import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fault, isThere, systemCode } from '../../core/index.ts';
import { reportName } from '../../config/index.ts';
import { newReportFiles } from '../../reports/index.ts';
import { reportDirectories } from '../../settings.ts';

const unwritable = (path: string, error: unknown) =>
  fault('path-unwritable', `${path} cannot be written (${systemCode(error) ?? 'unknown'})`, {
    cause: error,
    advice: 'make the config folder writable, or choose another one with --config',
  });

const makeFolder = async (folder: string, name: string): Promise<void> => {
  try {
    await mkdir(join(folder, '..'), { recursive: true });
    await mkdir(folder);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw unwritable(folder, error);
    throw fault('wrong-use', `the report ${name} already exists: ${folder}`, {
      advice: `choose another name, or edit the files in ${basename(folder)}/`,
    });
  }
};

/**
 * Writes a sample report into the config folder and returns its paths. Never overwrites a file.
 * @throws Fault `wrong-use` when the name is invalid or taken, `path-unwritable`
 */
export const createReport = async (configFolder: string, name: string): Promise<readonly string[]> => {
  if (!reportName.safeParse(name).success)
    throw fault('wrong-use', `${JSON.stringify(name)} is not a valid report name`, {
      advice: 'use at most 64 letters, digits, ".", "_" and "-", and start with a letter or digit',
    });
  if (!(await isThere(configFolder)))
    throw fault('wrong-use', `the config folder ${configFolder} does not exist`, {
      advice: 'create it, or choose another one with --config',
    });
  const [own = '', ...shipped] = reportDirectories(configFolder);
  for (const directory of shipped)
    if (await isThere(join(directory, name)))
      throw fault(
        'wrong-use',
        `${name} is the name of a built-in report, which a folder of this name would replace`,
        {
          advice: 'choose another name',
        },
      );
  const folder = join(own, name);
  await makeFolder(folder, name);
  const paths: string[] = [];
  for (const file of newReportFiles(name)) {
    const path = join(folder, file.name);
    await writeFile(path, file.text, { flag: 'wx' }).catch((error: unknown) => {
      throw unwritable(path, error);
    });
    paths.push(path);
  }
  return paths;
};
