import type { Secret } from '../../../core/index.ts';
import type { Sink } from '../../model/sink.ts';
import { findTarget, folderProblems, targetProblems, problemOf } from '../file-target.ts';
import { replaceFile } from '../file/replace-file.ts';
import { fileFault } from '../sink-faults.ts';
import { systemFiles } from '../sink-files.ts';
import type { SinkDeps } from '../sink-deps.ts';
import { encrypterFor } from './age-cipher.ts';
import type { AgeSpec } from './settings.ts';

/** A file that only holders of an identity can decrypt, so a person confirms the key. */
export const createAgeSink = (spec: AgeSpec, place: string, deps: SinkDeps): Sink => {
  const files = deps.files ?? systemFiles;
  const { path } = spec;

  const write = async (key: Secret): Promise<void> => {
    try {
      const { armor } = await import('age-encryption');
      const sealed = await (await encrypterFor(spec.recipients)).encrypt(key.reveal());
      const { path: real, stats } = await findTarget(path, files);
      const content = Buffer.from(armor.encode(sealed));
      const wanted = { path: real, content, mode: 0o600 };
      await replaceFile(stats === undefined ? wanted : { ...wanted, stats }, files);
    } catch (error) {
      throw fileFault(`${path} cannot be written`, error);
    }
  };

  return {
    place,
    describe: () => `age file ${path}`,
    confirmedByPerson: true,
    deliver: async (key) => {
      await deps.gates(`file:${path}`, () => write(key));
      return {};
    },
    fingerprint: () =>
      Promise.resolve({
        state: 'unreadable',
        why: `${path} is encrypted: confirm the key with \`tollkeeper keys confirm\``,
      }),
    problems: async () => {
      try {
        await encrypterFor(spec.recipients);
        const target = await findTarget(path, files);
        return [...(await folderProblems(target.path, files)), ...(await targetProblems(target, files))];
      } catch (error) {
        return [problemOf(error)];
      }
    },
  };
};
