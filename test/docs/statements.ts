import { parseSync } from 'oxc-parser';
import type { Texts } from './texts.ts';

/** A statement of docs/gateway.md where it is made. */
const made = /^\*\*(G\d+\.\d+)\*\*/gm;

/** An id where a text refers to it: of a statement, or of a name within it. */
const reference = /\bG\d+\.\d+\b(?:\.\w+(?:\[\]|[.:-]\w+)*)?/g;

/** First headings of the tables whose first column consists of names with ids. */
const named = /^(?:fields?|parameter|header|column|scope|value|code|limit)$/;

/** The statements of docs/gateway.md with their texts. */
export const statementsOf = (contract: string): ReadonlyMap<string, string> => {
  const starts = [...contract.matchAll(made)];
  return new Map(
    starts.map((start, index) => [
      start[1] ?? '',
      contract.slice(start.index, starts[index + 1]?.index ?? contract.length),
    ]),
  );
};

/** Statements that are made twice, or not in the order of their numbers within the section of their number. Pure. */
export const misplacedStatements = (contract: string): readonly string[] => {
  const wrong: string[] = [];
  let [section, last] = [0, 0];
  for (const match of contract.matchAll(/^(?:## G(\d+)\b|\*\*G(\d+)\.(\d+)\*\*)/gm)) {
    const [, heading, own, number] = match;
    if (heading !== undefined) [section, last] = [Number(heading), 0];
    else if (Number(own) !== section || Number(number) <= last) wrong.push(`G${own}.${number}`);
    else last = Number(number);
  }
  return wrong;
};

const quoted = (text: string): readonly string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

/** Names in the first columns of a statement's tables. */
const rowsOf = (statement: string): readonly string[] =>
  [...statement.matchAll(/^\| *([^|]+?) *\|.*\n\|[-|]+\n((?:\|.*\n?)+)/gm)].flatMap(
    ([, heading = '', rows = '']) =>
      named.test(heading) ? rows.split('\n').flatMap((row) => quoted(row.split('|')[1] ?? '')) : [],
  );

/** Variants of the sandbox that reproduce the statement. Faults are named behind them, and those of others with their number. */
export const variantsOf = (statement: string): readonly string[] => {
  const [, line = ''] = /^- \*\*Sandbox\*\*: (.*?)(?:the faults? .*)?$/m.exec(statement) ?? [];
  return [...line.matchAll(/`([a-z][a-z\d_]+)`(?! \(G)/g)].map(([, name = '']) => name);
};

/** Every id of docs/gateway.md, in its order. */
export const idsOf = (contract: string): readonly string[] =>
  [...statementsOf(contract)].flatMap(([statement, text]) => {
    const variants = variantsOf(text);
    const isOpen = text.includes('\n- **Open**') && variants.length === 0;
    return [
      statement,
      ...[...rowsOf(text), ...variants, ...(isOpen ? ['open'] : [])].map((name) => `${statement}.${name}`),
    ];
  });

/** References to ids that docs/gateway.md does not have. Pure. */
export const unknownIds = (contract: string, texts: Texts): readonly string[] => {
  const known = new Set(idsOf(contract));
  return [...texts].flatMap(([path, text]) =>
    [...text.matchAll(reference)].filter(([id]) => !known.has(id)).map(([id]) => `${path}: ${id}`),
  );
};

const withoutComments = (path: string, text: string): string =>
  parseSync(path, text).comments.reduceRight(
    (code, { start, end }) => code.slice(0, start) + code.slice(end),
    text,
  );

/** Ids of docs/gateway.md that no code of the tests names; a comment proves nothing. Pure. */
export const untestedIds = (contract: string, tests: Texts): readonly string[] => {
  const tested = new Set(
    [...tests].flatMap(([path, text]) =>
      [...withoutComments(path, text).matchAll(reference)].map(([id]) => id),
    ),
  );
  return idsOf(contract).filter((id) => !tested.has(id));
};
