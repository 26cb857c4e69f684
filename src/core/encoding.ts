/**
 * A text that was read as UTF-8 but has another encoding: its kind, the offset of the first invalid character, and how
 * to save it.
 */
export type EncodingFault = { readonly offset: number; readonly message: string; readonly code: 'ENCODING' };

const code = 'ENCODING';

/** Every other character of a text in UTF-16 is a NUL when its bytes are read as UTF-8. */
const isUtf16 = (text: string, nuls: number): boolean => nuls * 4 >= Math.min(text.length, 400);

/** Undefined for text that is UTF-8. Pure: reading the file has replaced invalid bytes by U+FFFD. */
export const encodingFault = (text: string): EncodingFault | undefined => {
  const nul = text.indexOf('\0');
  if (nul >= 0) {
    const nuls = text.slice(0, 400).split('\0').length - 1;
    return isUtf16(text, nuls)
      ? { offset: 0, message: 'the file is encoded as UTF-16, not UTF-8', code }
      : { offset: nul, message: 'the file contains a NUL character here', code };
  }
  const broken = text.indexOf('\uFFFD');
  return broken < 0
    ? undefined
    : {
        offset: broken,
        message: 'the file is not UTF-8 here; it is probably encoded as Latin-1 or Windows-1252',
        code,
      };
};
