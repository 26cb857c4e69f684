import { access, open, realpath } from 'node:fs/promises';
import { constants } from 'node:fs';
import { fault, messageOf, systemCode } from '../fault.ts';

/** Larger files are refused: what users write by hand, and generated lists of jobs, are far smaller. */
export const largestText = 64 * 1024 * 1024;

const systemError = (code: string, message: string): Error => Object.assign(new Error(message), { code });

/** Codes of the errors below, which say less than their message. */
const ownCodes = ['EFTYPE', 'EFBIG'];

/** Why a file could not be read: the code of the system, or what is wrong with the file. */
export const readReason = (error: unknown): string => {
  const code = systemCode(error);
  return code === undefined || ownCodes.includes(code) ? messageOf(error) : code;
};

const notRegular = (): Error => systemError('EFTYPE', 'it is not a regular file');

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;

/**
 * Opens a regular file; rejects with the system's error. A FIFO is not waited for: it is refused with `EFTYPE`, as devices
 * and sockets are, and a folder with `EISDIR`.
 */
export const openRegular = async (path: string, flags = 0): ReturnType<typeof open> => {
  const handle = await open(path, O_RDONLY | O_NONBLOCK | flags).catch((error: unknown) => {
    // A socket, or a device without a driver.
    throw ['ENXIO', 'ENODEV'].includes(systemCode(error) ?? '') ? notRegular() : error;
  });
  try {
    const stats = await handle.stat();
    if (stats.isDirectory()) throw systemError('EISDIR', 'it is a folder');
    if (!stats.isFile()) throw notRegular();
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
};

const pieceLength = 65_536;

const textOf = async (handle: Awaited<ReturnType<typeof open>>, limit: number): Promise<string> => {
  try {
    const { size } = await handle.stat();
    const pieces: Buffer[] = [];
    let length = 0;
    for (;;) {
      // Files in /proc have size 0, and other files may grow while they are read.
      const piece = Buffer.allocUnsafe(Math.max(pieceLength, Math.min(size, limit) + 1 - length));
      const { bytesRead } = await handle.read(piece, 0, piece.length, null);
      if (bytesRead === 0) return Buffer.concat(pieces, length).toString('utf8');
      length += bytesRead;
      if (length > limit) throw systemError('EFBIG', `it is larger than ${limit / 1024 / 1024} MiB`);
      pieces.push(piece.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
};

/** The text of a regular file, through symbolic links; `EFTYPE` for a FIFO or a device, `EFBIG` for a file too large. */
export const readText = async (path: string, limit = largestText): Promise<string> =>
  textOf(await openRegular(path), limit);

/** The same for files that must lie in `root`, wherever symbolic links lead; `EXDEV` if they lead out of it. */
export const readTextWithin = async (root: string, path: string, limit = largestText): Promise<string> => {
  const [folder, file] = [await realpath(root), await realpath(path)];
  if (!file.startsWith(folder.endsWith('/') ? folder : `${folder}/`))
    throw systemError('EXDEV', `a symbolic link leads to ${file}, outside of ${folder}`);
  return textOf(await openRegular(file, O_NOFOLLOW), limit);
};

export const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    (error: unknown) => {
      const code = systemCode(error) ?? '';
      if (['ENOENT', 'ENOTDIR'].includes(code)) return false;
      throw fault('path-unwritable', `${path} cannot be read (${code})`, {
        cause: error,
        advice: 'make the path and the folders above it readable for the user that Tollkeeper runs as',
      });
    },
  );
