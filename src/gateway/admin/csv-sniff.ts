const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

const declaredOtherwise = /\b(json|html|xml)\b/i;

/** JSON and markup by how they begin; a title line before a CSV header may begin with a bracket. */
const beginsOtherwise = /^(\{|<|\[\s*([{\]]|$))/;

/**
 * Whether an answer is CSV, from its content type and its first bytes: JSON and HTML are told apart by either.
 * `undecided` while nothing but a byte-order mark and white space has come.
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
