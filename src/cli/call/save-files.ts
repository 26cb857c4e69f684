import { link, mkdir, open, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fault, readReason, systemCode } from '../../core/index.ts';
import type { BlobStore, SavedBlob } from '../../gateway/index.ts';
import { mediaTypeOf } from './media-type.ts';

export type FileStore = BlobStore & { readonly saved: readonly SavedBlob[] };

const failed = (folder: string, error: unknown): Error =>
  fault('path-unwritable', `nothing can be saved in ${folder} (${readReason(error)})`, {
    advice: 'choose another folder with --save',
  });

/** Takes the first unused name: `imagine-1.png`, `imagine-2.png`. Never replaces a file. */
const named = async (part: string, folder: string, name: string, ending: string): Promise<string> => {
  for (let number = 1; ; number += 1) {
    const path = join(folder, `${name}-${number}.${ending}`);
    try {
      await link(part, path);
      return path;
    } catch (error) {
      if (systemCode(error) !== 'EEXIST' || number === 100_000) throw failed(folder, error);
    }
  }
};

/** Paths below `shown` are relative to it. */
export const createFileStore = (
  folder: string,
  name: string,
  { shown, random }: { readonly shown: string; readonly random: () => number },
): FileStore => {
  const saved: SavedBlob[] = [];
  return {
    saved,
    open: async () => {
      const part = join(folder, `.${name}-${random().toString(36).slice(2)}.part`);
      let file: Awaited<ReturnType<typeof open>>;
      try {
        await mkdir(folder, { recursive: true });
        file = await open(part, 'wx');
      } catch (error) {
        throw failed(folder, error);
      }
      let bytes = 0;
      let start = Buffer.alloc(0);
      const abandon = async (): Promise<void> => {
        await file.close();
        await rm(part, { force: true });
      };
      return {
        write: async (piece) => {
          if (start.length < 16) start = Buffer.concat([start, piece.subarray(0, 16)]);
          bytes += piece.byteLength;
          await file.writeFile(piece).catch((error: unknown) => {
            throw failed(folder, error);
          });
        },
        close: async () => {
          await file.close();
          try {
            const path = await named(part, folder, name, mediaTypeOf(start).ending);
            const below = relative(shown, path);
            const one = { path: below.startsWith('..') ? path : below, bytes };
            saved.push(one);
            return one;
          } finally {
            await rm(part, { force: true });
          }
        },
        abandon,
      };
    },
  };
};
