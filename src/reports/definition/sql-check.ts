/** A fault in SQL text; line and column count from 1. */
export type SqlFault = { readonly line: number; readonly column: number; readonly message: string };

type Token = {
  readonly kind: 'word' | 'quoted' | 'mark' | 'other';
  readonly text: string;
  readonly at: number;
};

const lexer =
  /(?<space>\s+|--[^\n]*)|(?<comment>\/\*)|(?<string>[eE]?')|(?<quoted>")|(?<dollar>\$(?:[A-Za-z_]\w*)?\$)|(?<word>[A-Za-z_][\w$]*)|(?<parameter>\?|\$\w+)|(?<any>[\s\S])/y;

const endOfString = (sql: string, from: number, backslash: boolean): number => {
  for (let at = from; at < sql.length; at += 1) {
    if (backslash && sql[at] === '\\') at += 1;
    else if (sql[at] === "'") {
      if (sql[at + 1] !== "'") return at + 1;
      at += 1;
    }
  }
  return -1;
};

const endOfComment = (sql: string, from: number): number => {
  let depth = 1;
  for (let at = from; at < sql.length; at += 1) {
    const pair = sql.slice(at, at + 2);
    if (pair === '/*' || pair === '*/') {
      depth += pair === '/*' ? 1 : -1;
      at += 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
};

type Fail = (at: number, message: string) => void;

const tokensOf = (sql: string, fail: Fail): Token[] => {
  const tokens: Token[] = [];
  for (let at = 0; at < sql.length;) {
    lexer.lastIndex = at;
    const match = lexer.exec(sql);
    const [text = sql[at] ?? ''] = match ?? [];
    const groups = match?.groups ?? {};
    let end = at + text.length;
    const until = (found: number, what: string): void => {
      if (found < 0) fail(at, `${what} is not closed`);
      end = found < 0 ? sql.length : found;
    };
    if (groups['comment'] !== undefined) until(endOfComment(sql, end), 'the comment');
    else if (groups['string'] !== undefined) until(endOfString(sql, end, text.length > 1), 'the text');
    else if (groups['quoted'] !== undefined) until(sql.indexOf('"', end) + 1 || -1, 'the quoted name');
    else if (groups['dollar'] !== undefined) {
      const close = sql.indexOf(text, end);
      until(close < 0 ? -1 : close + text.length, 'the text');
    }
    if (groups['parameter'] !== undefined) fail(at, `a report’s SQL takes no parameters: ${text}`);
    if (groups['word'] !== undefined) tokens.push({ kind: 'word', text: text.toUpperCase(), at });
    else if (groups['any'] !== undefined) tokens.push({ kind: 'mark', text, at });
    else if (groups['quoted'] !== undefined)
      tokens.push({ kind: 'quoted', text: sql.slice(at + 1, end - 1).toUpperCase(), at });
    else if (groups['space'] === undefined && groups['comment'] === undefined)
      tokens.push({ kind: 'other', text: '', at });
    at = end;
  }
  return tokens;
};

/** Functions that change the engine, write files, or run SQL that is hidden in a text. */
const deniedFunctions =
  /^((ENABLE|DISABLE|VERIFY)_\w+|QUERY(_TABLE)?|JSON_EXECUTE_SERIALIZED_SQL|TRUNCATE_DUCKDB_LOGS|WRITE_LOG|(FORCE_)?CHECKPOINT|ADD_PARQUET_KEY|(COPY|IMPORT)_DATABASE)$/;

const deniedIn = (tokens: readonly Token[]): readonly Token[] =>
  tokens.filter(
    ({ kind, text }, at) =>
      (kind === 'word' || kind === 'quoted') && tokens[at + 1]?.text === '(' && deniedFunctions.test(text),
  );

const starts = new Set(['SELECT', 'FROM', 'VALUES', 'TABLE']);
const changes = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/**
 * The keyword that determines the kind of statement: its first, or after WITH the first of these outside all brackets.
 */
const verbOf = (statement: readonly Token[]): Token | undefined => {
  const first = statement.find((token) => token.text !== '(');
  if (first?.text !== 'WITH') return first;
  let depth = 0;
  for (const token of statement) {
    if (token.text === '(') depth += 1;
    if (token.text === ')') depth -= 1;
    if (depth === 0 && token.kind === 'word' && (starts.has(token.text) || changes.has(token.text)))
      return token;
  }
  return undefined;
};

/** Static checks: the text is exactly one SELECT, with its strings, comments and brackets closed. */
export const checkSql = (sql: string): readonly SqlFault[] => {
  const faults: SqlFault[] = [];
  const fail: Fail = (at, message) => {
    const lines = sql.slice(0, at).split('\n');
    faults.push({ line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, message });
  };
  const statements: Token[][] = [[]];
  const open: Token[] = [];
  const tokens = tokensOf(sql, fail);
  for (const { text, at } of deniedIn(tokens))
    fail(at, `the function ${text.toLowerCase()} is not allowed in a report: its SQL only reads`);
  for (const token of tokens) {
    if (token.kind === 'mark' && token.text === ';') {
      statements.push([]);
      continue;
    }
    if (token.kind === 'mark' && token.text === '(') open.push(token);
    if (token.kind === 'mark' && token.text === ')' && open.pop() === undefined)
      fail(token.at, 'this bracket closes nothing');
    statements.at(-1)?.push(token);
  }
  for (const token of open) fail(token.at, 'this bracket is not closed');

  const [first, second] = statements.filter((statement) => statement.length > 0);
  if (first === undefined) fail(0, 'the file holds no SELECT');
  if (second?.[0] !== undefined)
    fail(second[0].at, 'the file must hold exactly one SELECT; here a second statement begins');
  const verb = first === undefined ? undefined : verbOf(first);
  if (first?.[0] !== undefined && (verb === undefined || verb.kind !== 'word' || !starts.has(verb.text)))
    fail(
      (verb ?? first[0]).at,
      `must be a SELECT, not ${verb === undefined || verb.text === '' ? 'this' : verb.text}`,
    );
  return faults;
};
