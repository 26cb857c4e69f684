import type { Secret } from '../../../core/index.ts';
import type { Delivered, Sink, SinkProblem } from '../../model/sink.ts';
import type { FileForm } from './dotenv.ts';
import {
  contentOf,
  findTarget,
  folderProblems,
  groupProblems,
  targetProblems,
  problemOf,
  type FileTarget,
} from '../file-target.ts';
import { fingerprintOf, readingOf } from '../fingerprint.ts';
import { formOf, textOf } from './form-of.ts';
import { removeLeftover, replaceFile } from './replace-file.ts';
import { failed, fileFault, refused } from '../sink-faults.ts';
import { systemFiles, type SinkFiles } from '../sink-files.ts';
import type { SinkDeps } from '../sink-deps.ts';
import type { FileSpec } from './settings.ts';

const defaultMode = 0o600;
const permissionBits = 0o7777;

/** How often the sink tries again if another program changes the file during the rewrite. */
const attempts = 5;

const describeFile = ({ path, holds }: FileSpec): string => {
  switch (holds.kind) {
    case 'variable':
      return `variable ${holds.name} of ${path}`;
    case 'pointer':
      return `${holds.pointer} of ${path}`;
    default:
      return `file ${path}`;
  }
};

const keyIn = (form: FileForm, content: Buffer | undefined): string | undefined => {
  const value = content === undefined ? undefined : form.read(textOf(content));
  return value === undefined ? undefined : Buffer.from(value, 'latin1').toString('utf8');
};

const look = async (path: string, files: SinkFiles): Promise<FileTarget> => {
  const target = await findTarget(path, files);
  return { ...target, content: contentOf(target) };
};

const unchanged = (before: FileTarget, now: FileTarget): boolean =>
  before.path === now.path &&
  (before.content === undefined || now.content === undefined
    ? before.content === now.content
    : before.content.equals(now.content));

/** A key in a file: a variable, a JSON value, or the whole content. The file is replaced atomically; all other bytes are preserved. */
export const createFileSink = (spec: FileSpec, place: string, deps: SinkDeps): Sink => {
  const files = deps.files ?? systemFiles;
  const { path } = spec;
  const mode = spec.mode ?? defaultMode;
  const form = formOf(spec);

  /** False if another program changed the file in the meantime. */
  const rewrite = async (key: Secret): Promise<boolean> => {
    const seen = await look(path, files);
    const text = form.write(seen.content === undefined ? '' : textOf(seen.content), key.reveal());
    const content = Buffer.from(text, 'latin1');
    const [problem] = await targetProblems(seen, files);
    if (seen.content?.equals(content) === true && seen.stats !== undefined) {
      await removeLeftover(seen.path, files);
      if ((seen.stats.mode & permissionBits) === mode) {
        // An earlier attempt may have ended before the sync.
        await files.sync(seen.path);
        return true;
      }
    }
    if (problem !== undefined) throw refused(problem.message, { advice: problem.advice });
    if (!unchanged(seen, await look(path, files))) return false;
    const { stats } = seen;
    await replaceFile({ path: seen.path, content, mode, stats }, files);
    return true;
  };

  const read = async (): Promise<string | undefined> => {
    try {
      return keyIn(form, (await look(path, files)).content);
    } catch (error) {
      throw fileFault(`${path} cannot be read`, error);
    }
  };

  const deliver = async (key: Secret): Promise<Delivered> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (await rewrite(key)) break;
      } catch (error) {
        throw fileFault(`${path} cannot be written`, error);
      }
      if (attempt === attempts) throw failed(`${path} is changed continuously by another program`);
    }
    const held = await read();
    return held === undefined ? {} : { fingerprint: fingerprintOf(held) };
  };

  const lookForProblems = async (): Promise<readonly SinkProblem[]> => {
    try {
      const seen = await look(path, files);
      keyIn(form, seen.content);
      return [
        ...(await folderProblems(seen.path, files)),
        ...(await targetProblems(seen, files)),
        ...groupProblems(seen, spec.mode),
      ];
    } catch (error) {
      return [problemOf(fileFault(`${path} cannot be read`, error))];
    }
  };

  return {
    place,
    describe: () => describeFile(spec),
    confirmedByPerson: false,
    deliver: (key) => deps.gates(`file:${path}`, () => deliver(key)),
    fingerprint: async () => readingOf(await read()),
    read: async () => {
      const held = await read();
      return held === undefined ? undefined : deps.secrets.register(held);
    },
    problems: () => deps.gates(`file:${path}`, lookForProblems),
  };
};
