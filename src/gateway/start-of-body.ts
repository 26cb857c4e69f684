import type { HttpAnswer } from '../http/index.ts';

/** Maximum number of bytes read from the body of an error. */
const errorBodyLimit = 16 * 1024;

/** At most that much of the body; never throws for a body that breaks off, since its start is enough. */
export const startOf = async (answer: HttpAnswer): Promise<string> => {
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of answer.body) {
      pieces.push(piece);
      size += piece.byteLength;
      if (size >= errorBodyLimit) break;
    }
  } catch {
    // Only the status is available.
  }
  return new TextDecoder().decode(Buffer.concat(pieces).subarray(0, errorBodyLimit));
};
