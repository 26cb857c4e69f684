/** Encrypts for recipients who were fixed when it was made, in the format of age. */
export type Cipher = {
  /** 16 hex digits, equal for the same recipients: what was encrypted for others cannot be shared with them. */
  readonly recipients: string;
  readonly encrypt: (plain: Uint8Array) => Promise<Uint8Array>;
  readonly encryptStream: (plain: ReadableStream<Uint8Array>) => Promise<ReadableStream<Uint8Array>>;
};

/**
 * Decrypts with the identities that it was made with. Each promise rejects if none of them fits or the header is
 * damaged; damage behind the header is an error of the stream.
 */
export type Decipher = {
  readonly decrypt: (sealed: Uint8Array) => Promise<Uint8Array>;
  readonly decryptStream: (sealed: ReadableStream<Uint8Array>) => Promise<ReadableStream<Uint8Array>>;
};
