/** Magic numbers with media type and file extension. */
const known: readonly (readonly [at: number, start: string, type: string, ending: string])[] = [
  [0, '\x89PNG', 'image/png', 'png'],
  [0, '\xff\xd8\xff', 'image/jpeg', 'jpg'],
  [0, 'GIF8', 'image/gif', 'gif'],
  [8, 'WEBP', 'image/webp', 'webp'],
  [8, 'WAVE', 'audio/wav', 'wav'],
  [0, 'ID3', 'audio/mpeg', 'mp3'],
  [0, '\xff\xfb', 'audio/mpeg', 'mp3'],
  [0, '\xff\xf3', 'audio/mpeg', 'mp3'],
  [4, 'ftyp', 'video/mp4', 'mp4'],
  [0, 'OggS', 'audio/ogg', 'ogg'],
  [0, '<svg', 'image/svg+xml', 'svg'],
];

export type MediaType = { readonly type: string; readonly ending: string };

/** The type by the first bytes; the type that a gateway declares is not used. */
export const mediaTypeOf = (start: Uint8Array): MediaType => {
  const text = Buffer.from(start.subarray(0, 16)).toString('latin1');
  const found = known.find(([at, sign]) => text.startsWith(sign, at));
  return found === undefined
    ? { type: 'application/octet-stream', ending: 'bin' }
    : { type: found[2], ending: found[3] };
};
