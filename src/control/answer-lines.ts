/** Characters; the longest line is the answer to `status` of some ten thousand jobs. */
const longestLine = 64_000_000;

/** The whole lines of a text; what follows the last line end is no line. Throws `tooLong()` when one outgrows memory. */
export async function* answerLines(
  chunks: AsyncIterable<string>,
  tooLong: () => Error,
): AsyncGenerator<string> {
  let parts: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const pieces = chunk.split('\n');
    for (const [index, piece] of pieces.entries()) {
      parts.push(piece);
      length += piece.length;
      if (length > longestLine) throw tooLong();
      if (index === pieces.length - 1) continue;
      yield parts.join('');
      parts = [];
      length = 0;
    }
  }
}
