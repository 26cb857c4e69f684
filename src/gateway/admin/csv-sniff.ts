const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

const declaredOtherwise = /\b(json|html|xml)\b/i;

/** JSON and markup by their first bytes; a title line before a CSV header may begin with a bracket. */
const beginsOtherwise = /^(\{|<|\[\s*([{\]]|$))/;

/**
 * Whether an answer is CSV, by its content type and its first bytes: either identifies JSON and HTML. `undecided` while
 * only a byte-order mark and white space have arrived.
 */
export const sniff = (contentType: string, start: Uint8Array): 'csv' | 'other' | 'undecided' => {
  const bytes = Buffer.from(start);
  if (
    bytes.byteLength < byteOrderMark.byteLength &&
    byteOrderMark.subarray(0, bytes.byteLength).equals(bytes)
  )
    return 'undecided';
  const text = (bytes.subarray(0, 3).equals(byteOrderMark) ? bytes.subarray(3) : bytes)
    .toString('latin1')
    .trimStart();
  if (text === '') return 'undecided';
  return declaredOtherwise.test(contentType) || beginsOtherwise.test(text) ? 'other' : 'csv';
};
