import { pipeline } from 'node:stream/promises';
import { extract, pack } from 'tar-stream';

/** A file in a tar. Its content is read before the next entry. */
export type TarEntry = {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly content: AsyncIterable<Uint8Array> | readonly Uint8Array[];
};

export type NewEntry = TarEntry & { readonly mode: number; readonly mtime: Date };

/** The bytes of a tar, in constant memory: the same entries give the same bytes. */
export async function* tarOf(entries: AsyncIterable<NewEntry>): AsyncGenerator<Uint8Array> {
  const tar = pack();
  const feed = async (): Promise<void> => {
    for await (const { content, ...header } of entries)
      await pipeline(content, tar.entry({ ...header, type: 'file' }));
    tar.finalize();
  };
  // An error ends the loop below.
  const fed = feed().catch((error: Error) => tar.destroy(error));
  try {
    for await (const piece of tar) yield piece as Uint8Array;
  } finally {
    tar.destroy();
    await fed;
  }
}

/** The entries of a tar, in constant memory. It rejects if the tar is not well-formed. */
export async function* entriesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const tar = extract();
  // An error ends the loop below.
  const fed = pipeline(source, tar).catch((error: Error) => tar.destroy(error));
  try {
    for await (const entry of tar) {
      const { name, size } = entry.header;
      yield { name, size, content: entry as AsyncIterable<Uint8Array> };
    }
  } finally {
    tar.destroy();
    await fed;
  }
}
