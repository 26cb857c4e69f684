import { join } from 'node:path';
import { readReason, systemCode } from '../../core/index.ts';
import type { ConfigFault } from './config-fault.ts';
import { readSource, type Source } from './source.ts';

export type ConfigFiles = {
  /** The text of a file; rejects with the system's error. */
  readonly readFile: (path: string) => Promise<string>;
  /** Names of the files in a folder; rejects with the system's error. */
  readonly listFiles: (folder: string) => Promise<readonly string[]>;
  /**
   * SHA-256 of the text of a file in base64, without keeping the text; rejects as `readFile`. When omitted, the text is
   * read.
   */
  readonly hashFile?: (path: string) => Promise<string>;
};

export type Sources = {
  readonly settings?: Source | undefined;
  readonly jobs: readonly Source[];
  /** Whether every file of jobs was readable. */
  readonly complete: boolean;
  readonly faults: readonly ConfigFault[];
};

const advices: Readonly<Record<string, string>> = {
  EFTYPE: 'replace the FIFO or device with a regular file',
  EFBIG: 'split the file into several files in jobs/',
  EISDIR: 'a folder exists where a file is expected; rename it or move it away',
  ENOTDIR:
    'a file exists where a folder is expected; point --config at the folder that contains tollkeeper.yaml',
};

const cannotRead = (file: string, error: unknown): ConfigFault => ({
  file,
  line: 1,
  column: 1,
  message: `the file cannot be read (${readReason(error)})`,
  advice: advices[systemCode(error) ?? ''] ?? 'make it readable for the user that Tollkeeper runs as',
});

const missingSettings = (file: string, folder: string, names: readonly string[]): ConfigFault => {
  const other = names.find((name) => /^tollkeeper\.ya?ml$/i.test(name));
  return {
    file,
    line: 1,
    column: 1,
    message: `no tollkeeper.yaml in ${folder}`,
    advice:
      other === undefined
        ? 'point --config at the folder that contains tollkeeper.yaml; an empty file is enough to start'
        : `rename ${other} to tollkeeper.yaml`,
  };
};

/** Maximum number of files read at once. */
const together = 16;

/** Reads tollkeeper.yaml and the files of jobs/, sorted by name. Without a folder jobs/ there are no jobs. */
export const readSources = async (folder: string, files: ConfigFiles): Promise<Sources> => {
  const faults: ConfigFault[] = [];
  const readOne = async (
    file: string,
    absent: () => ConfigFault | Promise<ConfigFault>,
  ): Promise<Source | undefined> => {
    try {
      const { source, faults: found } = await readSource(file, await files.readFile(file));
      faults.push(...found);
      return source;
    } catch (error) {
      faults.push(systemCode(error) === 'ENOENT' ? await absent() : cannotRead(file, error));
      return undefined;
    }
  };
  const settingsFile = join(folder, 'tollkeeper.yaml');
  // Listed only after an error: other files there are not part of the config.
  const beside = (): Promise<readonly string[]> => files.listFiles(folder).catch(() => []);
  const settings = await readOne(settingsFile, async () =>
    missingSettings(settingsFile, folder, await beside()),
  );
  const jobsFolder = join(folder, 'jobs');
  let names: readonly string[] = [];
  let complete = true;
  try {
    names = await files.listFiles(jobsFolder);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' && (await beside()).length > 0) {
      complete = false;
      faults.push(cannotRead(jobsFolder, error));
    }
  }
  const jobFiles = [...names].sort().filter((name) => /^[^.].*\.ya?ml$/.test(name));
  const jobs: Source[] = [];
  for (let from = 0; from < jobFiles.length; from += together) {
    const read = jobFiles.slice(from, from + together).map((name) => {
      const file = join(jobsFolder, name);
      return readOne(file, () => cannotRead(file, new Error('it disappeared while it was read')));
    });
    for (const source of await Promise.all(read))
      if (source === undefined) complete = false;
      else jobs.push(source);
  }
  return { settings, jobs, complete, faults };
};
