import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { openRegular, readText } from '../../core/index.ts';
import type { ConfigFiles } from './read-sources.ts';

/** Bytes read at once: the memory limit for a file that is only hashed. */
const pieceLength = 65_536;

/** Decodes like `readFile`, so that invalid UTF-8 gives the same hash as the text that was read. */
const hashFile = async (path: string): Promise<string> => {
  await using handle = await openRegular(path);
  const hash = createHash('sha256');
  const decoder = new StringDecoder('utf8');
  const piece = Buffer.allocUnsafe(pieceLength);
  for (;;) {
    const { bytesRead } = await handle.read(piece, 0, pieceLength, null);
    if (bytesRead === 0) break;
    hash.update(decoder.write(piece.subarray(0, bytesRead)));
  }
  return hash.update(decoder.end()).digest('base64');
};

/** Config files on disk. */
export const configDisk: ConfigFiles = {
  readFile: (path) => readText(path),
  listFiles: (folder) => readdir(folder),
  hashFile,
};
