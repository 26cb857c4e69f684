/** Receives the bytes of one image or sound of an answer. */
export type BlobWriter = {
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /** Ends a blob that is complete. */
  readonly close: () => Promise<SavedBlob>;
  /** Removes what was written of it. */
  readonly abandon: () => Promise<void>;
};

export type SavedBlob = { readonly path: string; readonly bytes: number };

/** Opens a writer for each image or sound of an answer, so that none is held in memory. */
export type BlobStore = { readonly open: () => Promise<BlobWriter> };

/** Strings of an answer that stand for saved blobs. */
export type Blobs = ReadonlyMap<string, SavedBlob>;

const base64Text = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Decodes base64 in pieces of any size. `push` returns undefined for a piece that is no base64. */
export const createBase64Decoder = (): {
  readonly push: (piece: string) => Buffer | undefined;
  /** The last bytes; undefined when the text is incomplete. */
  readonly end: () => Buffer | undefined;
} => {
  let rest = '';
  let padded = false;
  return {
    push: (piece) => {
      if (piece === '') return Buffer.alloc(0);
      const text = rest + piece;
      if (padded && !/^=*$/.test(piece)) return undefined;
      if (!base64Text.test(text)) return undefined;
      padded ||= piece.includes('=');
      const whole = text.length - (text.length % 4);
      rest = text.slice(whole);
      return Buffer.from(text.slice(0, whole), 'base64');
    },
    end: () => {
      // Padding may be left out, but one character is less than a byte.
      const bare = rest.replaceAll('=', '');
      return bare.length === 1 ? undefined : Buffer.from(bare, 'base64');
    },
  };
};

/** `data:image/png;base64,`, or empty; undefined when the start of a text is neither that nor base64. */
export const base64Prefix = (start: string): string | undefined => {
  const prefix = /^data:[\w.+/;=-]{0,200};base64,/.exec(start)?.[0] ?? '';
  return base64Text.test(start.slice(prefix.length)) ? prefix : undefined;
};
