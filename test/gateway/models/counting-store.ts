import type { BlobStore } from '../../../src/gateway/index.ts';

/** A store that counts the bytes of each image and keeps none of them. */
export const countingStore = (): BlobStore => ({
  open: () => {
    let bytes = 0;
    return Promise.resolve({
      write: (piece) => {
        bytes += piece.byteLength;
        return Promise.resolve();
      },
      close: () => Promise.resolve({ path: 'counted', bytes }),
      abandon: () => Promise.resolve(),
    });
  },
});
