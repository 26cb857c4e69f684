import { money, type Money } from '../../core/index.ts';
import { text, wholeNumber, type Bindings, type Sql } from '../../storage/index.ts';

/** Distinguishes one multiset of rows from another, whatever their order. */
export type Digest = {
  readonly rows: number;
  /** Exact sum of the amounts as served. */
  readonly quota: Money;
  /**
   * Over every column of every row: the sum of the row hashes, in which duplicates count twice, and the exclusive or of
   * second hashes. Comparable within one engine version.
   */
  readonly checksum: string;
};

/** The digest of a relation with the columns of `call_log`. */
export const readDigest = async (
  connection: Sql,
  relation: string,
  where: string,
  bindings: Bindings,
): Promise<Digest> => {
  const [row] = await connection.rows(
    `SELECT count(*) AS row_count, coalesce(sum(quota), 0) AS quota,
       coalesce(sum(hash(calls)), 0) AS sums, coalesce(bit_xor(hash('other', calls)), 0) AS others
     FROM ${relation} AS calls WHERE ${where}`,
    bindings,
  );
  return {
    rows: wholeNumber(row, 'row_count'),
    quota: money(text(row, 'quota')),
    checksum: `${text(row, 'sums')}-${text(row, 'others')}`,
  };
};

export const sameDigest = (left: Digest, right: Digest): boolean =>
  left.rows === right.rows && left.quota === right.quota && left.checksum === right.checksum;
