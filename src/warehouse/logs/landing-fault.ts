import { fault, isFault, messageOf, type Fault, type FaultCode } from '../../core/index.ts';

/** The error() messages of the landing statement, and their codes in the catalogue. */
const reasons: readonly (readonly [RegExp, FaultCode, string])[] = [
  [/timestamp-unreadable: (.*)/, 'export-timestamp-unreadable', 'a time cannot be read'],
  [/timestamp-outside: (.*)/, 'export-timestamp-unreadable', 'a time is far outside the requested range'],
  [/amount-inexact: (.*)/, 'export-amount-inexact', 'an amount has more than 12 decimals'],
  [/amount-not-whole: (.*)/, 'export-amounts-changed', 'an amount is not a whole number of units'],
  [/amount-unreadable: (.*)/, 'export-row-invalid', 'an amount cannot be read'],
  [/amount-blank: (.*)/, 'export-row-invalid', 'a charged row has no amount'],
  [/tokens-unreadable: (.*)/, 'export-row-invalid', 'a token count cannot be read'],
];

const otherRowProblem = /CSV Error|CSV Parser|Conversion Error|Invalid Input Error|Out of Range Error/;

/** Maps the error that rejects the rows to its code; passes on anything else for the mapping of engine errors. */
export const landingFault = (error: unknown): unknown => {
  if (isFault(error)) return error;
  const text = messageOf(error);
  const refused = (code: FaultCode, message: string): Fault => fault(code, message, { cause: error });
  for (const [pattern, code, meaning] of reasons) {
    const found = pattern.exec(text);
    if (found !== null) return refused(code, `${meaning}: ${JSON.stringify((found[1] ?? '').slice(0, 80))}`);
  }
  return otherRowProblem.test(text)
    ? refused('export-row-invalid', `the rows cannot be read: ${text.split('\n')[0] ?? ''}`)
    : error;
};
