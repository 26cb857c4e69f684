import type { YamlFault } from '../../core/index.ts';

type Message = { readonly message: string; readonly advice: string };

const inQuotes = 'put the value in double quotes';

/** The parser's messages with their meanings and next steps; the first match applies. */
const known: readonly (readonly [pattern: RegExp, message: string, advice: string])[] = [
  [/^Alias cannot be an empty string/, 'a value that starts with * must be in quotes', inQuotes],
  [/^Tabs are not allowed/, 'indentation must be spaces, not tabs', 'replace the tab with spaces'],
  [
    /^Source contains multiple documents/,
    'the file contains several YAML documents',
    'remove the line ---, or move what follows it to a file of its own',
  ],
  [/^Missing closing .quote/, 'the text in quotes that begins here is not closed', 'add the closing quote'],
  [/end with a \]$/, 'the list that begins here with [ is not closed', 'add ] at its end'],
  [/end with a \}$/, 'the map that begins here with { is not closed', 'add } at its end'],
  [
    /^All (mapping|collection) items must start at the same column/,
    'the indentation differs from that of the lines above',
    'indent the line like the keys beside it',
  ],
  [
    /^(Implicit keys need to be on a single line|Implicit map keys need to be followed)/,
    'the line is not a key with a value',
    'write key: value, with a space after the colon',
  ],
  [/^Unresolved tag/, 'a value that starts with ! must be in quotes', inQuotes],
  [
    /^Invalid escape sequence/,
    'the text in double quotes contains an unknown escape sequence',
    'write \\\\ for a backslash, or use single quotes',
  ],
];

const reserved = /^Plain value cannot start with (?:reserved character|directive indicator character) (.)/;

const nested = 'Nested mappings are not allowed in compact mappings';

/** `line` is the text of the line, `column` counts from 1. */
const messageOf = ({ message, code, column, duplicate }: YamlFault, line: string): Message => {
  if (code === 'ENCODING') return { message, advice: 'save the file as UTF-8' };
  if (code === 'TOO_DEEP') return { message, advice: 'write it without & and *, or with fewer levels' };
  if (code === 'ALIAS') return { message, advice: 'put text that begins with * in quotes' };
  if (duplicate !== undefined)
    return {
      message: `the key ${JSON.stringify(duplicate.key)} is written twice; the first is on line ${duplicate.firstLine}`,
      advice: 'remove one of the two, or rename it',
    };
  if (line.slice(column - 2, column) === '${')
    return {
      message: 'a reference inside { … } or [ … ] must stand in quotes: "${NAME}"',
      advice: 'put the reference in double quotes',
    };
  if (line.includes('\u00a0'))
    return {
      message: 'the line contains a non-breaking space, which is not a space in YAML',
      advice: 'replace it with an ordinary space',
    };
  const character = reserved.exec(message)?.[1];
  if (character !== undefined)
    return { message: `a value that starts with ${character} must be in quotes`, advice: inQuotes };
  if (message === nested)
    return /:\s/.test(line.slice(column - 1))
      ? { message: 'a value that contains ": " must be in quotes', advice: inQuotes }
      : {
          message: 'the line below is indented deeper, but this key already has a value',
          advice: 'indent the line below like this key',
        };
  for (const [pattern, text, advice] of known) if (pattern.test(message)) return { message: text, advice };
  return {
    message: message === '' ? 'not YAML' : `invalid YAML: ${message}`,
    advice:
      'correct the YAML here; put text in quotes when it begins with one of @ * & ! % { [ or contains ": "',
  };
};

/** After the first error the parser is out of sync: only errors that concern a single location are still reliable. */
const isLocal = ({ code, message, duplicate }: YamlFault): boolean =>
  duplicate !== undefined ||
  code === 'BAD_SCALAR_START' ||
  /^(Alias cannot be|Missing closing)/.test(message);

/** The reliable syntax errors of a file, at most one per line, each with the next step. */
export const syntaxMessages = (
  faults: readonly YamlFault[],
  text: string,
): readonly (Message & Pick<YamlFault, 'line' | 'column'>)[] => {
  const lines = text.split('\n');
  const seen = new Set<number>();
  return faults
    .filter(
      (fault, index) => (index === 0 || isLocal(fault)) && !seen.has(fault.line) && seen.add(fault.line),
    )
    .map((fault) => ({
      line: fault.opened?.line ?? fault.line,
      column: fault.opened?.column ?? fault.column,
      ...messageOf(fault, lines[fault.line - 1] ?? ''),
    }));
};
