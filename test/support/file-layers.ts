import { gunzipSync, inflateRawSync } from 'node:zlib';

const most = 64 * 1024 * 1024;
/** A workbook in a mail in an archive: deeper is nothing packed here. */
const deepest = 4;

const unlessBroken = (unpack: () => Uint8Array): readonly Uint8Array[] => {
  try {
    return [unpack()];
  } catch {
    // Cut off, or only looks like it.
    return [];
  }
};

/** The members of a ZIP file by its central directory (APPNOTE 4.3.12). */
const membersOf = (file: Buffer): readonly Uint8Array[] => {
  const members: Uint8Array[] = [];
  for (let at = file.indexOf('PK\u0001\u0002', 0, 'latin1'); at >= 0 && at + 46 <= file.length;) {
    const [method, size, local] = [
      file.readUInt16LE(at + 10),
      file.readUInt32LE(at + 20),
      file.readUInt32LE(at + 42),
    ];
    if (local + 30 <= file.length) {
      const start = local + 30 + file.readUInt16LE(local + 26) + file.readUInt16LE(local + 28);
      const packed = file.subarray(start, start + size);
      members.push(
        ...unlessBroken(() => (method === 0 ? packed : inflateRawSync(packed, { maxOutputLength: most }))),
      );
    }
    at = file.indexOf('PK\u0001\u0002', at + 46, 'latin1');
  }
  return members;
};

/** What a mail's transfer encodings hide: soft line breaks, and wrapped base64. */
const decodedOf = (text: string): readonly Uint8Array[] => {
  const decoded: Uint8Array[] = [];
  if (/=\r?\n/.test(text)) {
    const joined = text.replaceAll(/=\r?\n/g, '');
    const plain = joined.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    decoded.push(Buffer.from(plain, 'latin1'));
  }
  for (const [block] of text.matchAll(/(?:[A-Za-z0-9+/]{60,}\r?\n)+[A-Za-z0-9+/]*={0,2}/g))
    decoded.push(Buffer.from(block, 'base64'));
  return decoded;
};

const isMail = (file: Buffer): boolean =>
  /^content-(type|transfer-encoding):/im.test(file.subarray(0, 16_384).toString('latin1'));

const insideOf = (file: Buffer): readonly Uint8Array[] => {
  if (file.length < 4) return [];
  if (file[0] === 0x1f && file[1] === 0x8b)
    return unlessBroken(() => gunzipSync(file, { maxOutputLength: most }));
  if (file.toString('latin1', 0, 4) === 'PK\u0003\u0004') return membersOf(file);
  return isMail(file) ? decodedOf(file.toString('latin1')) : [];
};

/** A file's bytes, and those of whatever is packed or encoded in it. */
export const layersOf = (file: Uint8Array, depth = 0): readonly Uint8Array[] => {
  const buffer = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const inside = depth < deepest ? insideOf(buffer) : [];
  return [file, ...inside.flatMap((layer) => layersOf(layer, depth + 1))];
};
