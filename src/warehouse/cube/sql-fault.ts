import { messageOf } from '../../core/index.ts';

/** Where a query is invalid, counted from 1; undefined where the engine does not report it. */
export type SqlFault = {
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
};

type Told = {
  readonly exception_message?: string;
  readonly error_subtype?: string;
  readonly position?: string;
};

const placeOf = (before: string): { readonly line: number; readonly column: number } => {
  const lines = before.split('\n');
  return { line: lines.length, column: Array.from(lines.at(-1) ?? '').length + 1 };
};

/** The engine's error for a query, which it reports as JSON (`errors_as_json`): in one line, with the position. */
export const sqlFault = (sql: string, error: unknown): SqlFault => {
  const text = messageOf(error);
  const [first, last] = [text.indexOf('{'), text.lastIndexOf('}')];
  const json = first === -1 || last < first ? undefined : text.slice(first, last + 1);
  let details: Told = {};
  try {
    details = json === undefined ? {} : (JSON.parse(json) as Told);
  } catch {
    // The message is plain text.
  }
  const message = (details.exception_message ?? text)
    .split('\n')
    .filter((line) => !/^(LINE \d+:|\s*\^|\t| *Candidate functions:)/.test(line))
    .slice(0, 3)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('; ');
  const position = Number(details.position);
  if (!Number.isSafeInteger(position)) return { message };
  // The parser counts characters; all later stages count bytes.
  const before =
    details.error_subtype === 'SYNTAX_ERROR'
      ? Array.from(sql).slice(0, position).join('')
      : Buffer.from(sql).subarray(0, position).toString();
  return { message, ...placeOf(before) };
};
