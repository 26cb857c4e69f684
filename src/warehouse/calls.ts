import {
  money,
  multiplyMoney,
  unixSeconds,
  type Interval,
  type Money,
  type UnixSeconds,
} from '../core/index.ts';
import { optionalText, text, wholeNumber, type Sql, type Relation } from '../storage/index.ts';
import { valueOfServed } from './spend.ts';

/** One row of the call log that is spend. */
export type BookedCall = {
  readonly createdAt: UnixSeconds;
  readonly kind: 'consumption' | 'refund';
  readonly model: string;
  /** Name of the key; may be empty. */
  readonly keyName: string;
  readonly promptTokens: number | undefined;
  readonly completionTokens: number | undefined;
  /** In the currency of the account; in units while the form of the amounts is not proven. */
  readonly amount: Money | undefined;
};

const count = (value: string | undefined): number | undefined =>
  value === undefined ? undefined : Number(value);

/** Calls and refunds of the interval, oldest first; at most 10,000. */
export const readCalls = async (
  connection: Sql,
  account: string,
  range: Interval<UnixSeconds>,
  calls: Relation,
): Promise<readonly BookedCall[]> => {
  const { value } = await valueOfServed(connection, account);
  const rows = await connection.rows(
    `SELECT created_at, kind, model_name, token_name, prompt_tokens, completion_tokens, quota
     FROM ${calls.sql}
     WHERE account = $account AND created_at >= $start AND created_at < $end AND kind IN ('consumption', 'refund')
     ORDER BY created_at, model_name, token_name, quota LIMIT 10000`,
    { account, start: range.start, end: range.end, ...calls.bindings },
  );
  return rows.map((row) => {
    const quota = optionalText(row, 'quota');
    return {
      createdAt: unixSeconds(wholeNumber(row, 'created_at')),
      kind: text(row, 'kind') === 'refund' ? 'refund' : 'consumption',
      model: text(row, 'model_name'),
      keyName: text(row, 'token_name'),
      promptTokens: count(optionalText(row, 'prompt_tokens')),
      completionTokens: count(optionalText(row, 'completion_tokens')),
      amount: quota === undefined ? undefined : multiplyMoney(money(quota), value),
    };
  });
};
