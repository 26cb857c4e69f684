/** A value of values.yaml. */
export type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };

type Operand = { readonly written: string; readonly variable: string; readonly path: readonly string[] };

type Part =
  | { readonly text: string }
  | { readonly print: Operand; readonly quoted: boolean }
  | { readonly test: Operand; readonly body: readonly Part[]; readonly otherwise: readonly Part[] }
  | { readonly range: Operand; readonly names: readonly string[]; readonly body: readonly Part[] };

/** `.` and the variables; `$` is the root, which does not change inside a range. */
type Scope = ReadonlyMap<string, Value>;

const operand = String.raw`(?:\$?(?:\.[A-Za-z]\w*)+|\$[a-z]\w*|\.)`;
const printed = new RegExp(String.raw`^(${operand})( \| quote)?$`);
const tested = new RegExp(`^if (${operand})$`);
const ranged = new RegExp(String.raw`^range (?:(\$[a-z]\w*), (\$[a-z]\w*) := )?(${operand})$`);

const readOperand = (written: string): Operand => {
  const [, variable = '', path = ''] = /^(\$?[a-z]?\w*)(.*)$/.exec(written) ?? [];
  return { written, variable: variable || '.', path: path.split('.').filter((key) => key !== '') };
};

/** The texts and actions of a template. `{{- ` trims all white space before it, ` -}}` all after it. */
const tokensOf = (template: string): readonly { readonly text: string; readonly isAction: boolean }[] => {
  const tokens = [];
  let end = 0;
  let trims = false;
  const take = (until: number, trimsEnd: boolean): void => {
    const text = template.slice(end, until);
    const begun = trims ? text.trimStart() : text;
    tokens.push({ text: trimsEnd ? begun.trimEnd() : begun, isAction: false });
  };
  for (const match of template.matchAll(/\{\{(-(?=\s))?(.*?)((?<=\s)-)?\}\}/gs)) {
    take(match.index, match[1] !== undefined);
    tokens.push({ text: (match[2] ?? '').trim(), isAction: true });
    end = match.index + match[0].length;
    trims = match[3] !== undefined;
  }
  take(template.length, false);
  return tokens;
};

const parse = (template: string): readonly Part[] => {
  const root: Part[] = [];
  const open: { parts: Part[]; readonly otherwise: Part[] | undefined }[] = [
    { parts: root, otherwise: undefined },
  ];
  for (const { text, isAction } of tokensOf(template)) {
    const block = open.at(-1);
    if (block === undefined) throw new Error('{{ end }} without if or range');
    const [print, test, range] = isAction ? [printed.exec(text), tested.exec(text), ranged.exec(text)] : [];
    if (!isAction && text.includes('{{')) throw new Error('{{ without }}');
    if (!isAction) block.parts.push({ text });
    else if (test) {
      const [body, otherwise]: [Part[], Part[]] = [[], []];
      block.parts.push({ test: readOperand(test[1] ?? ''), body, otherwise });
      open.push({ parts: body, otherwise });
    } else if (range) {
      const body: Part[] = [];
      const names = [range[1], range[2]].filter((name) => name !== undefined);
      block.parts.push({ range: readOperand(range[3] ?? ''), names, body });
      open.push({ parts: body, otherwise: undefined });
    } else if (text === 'else' && block.otherwise !== undefined && block.parts !== block.otherwise)
      block.parts = block.otherwise;
    else if (text === 'end' && open.length > 1) open.pop();
    else if (print) block.parts.push({ print: readOperand(print[1] ?? ''), quoted: print[2] !== undefined });
    else throw new Error(`{{ ${text} }} is outside of the subset of templates that the tests render`);
  }
  if (open.length > 1) throw new Error('if or range without {{ end }}');
  return root;
};

/** Stricter than Helm, which prints nothing for a value that does not exist: every value has a default in values.yaml. */
const lookUp = ({ written, variable, path }: Operand, scope: Scope): Value => {
  let value = scope.get(variable);
  for (const key of path)
    value =
      typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, key)
        ? (value as Readonly<Record<string, Value>>)[key]
        : undefined;
  if (value === undefined) throw new Error(`${written} does not exist in the values`);
  return value;
};

const isTrue = (value: Value): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);

/** As Go's `%v` prints it. Helm reads numbers as floats, and prints those from a million on with an exponent. */
const textOf = (value: Value, written: string): string => {
  if (typeof value === 'number' && (Math.abs(value) >= 1e6 || (value !== 0 && Math.abs(value) < 1e-4)))
    throw new Error(`${written} is a number that Helm prints with an exponent: write it as a text`);
  if (typeof value === 'object') throw new Error(`${written} is not a string, number or boolean`);
  return String(value);
};

const letters = '"\\abfnrtv';
const escapes = new Map(
  Array.from('"\\\u0007\b\f\n\r\t\v', (character, at) => [character, `\\${letters[at]}`] as const),
);

/** As Go's `%q` writes it, which YAML reads as the same text. */
const quote = (text: string): string => {
  const escape = (character: string): string => {
    const known = escapes.get(character);
    if (known !== undefined) return known;
    if (/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character)) return character;
    const code = character.codePointAt(0) ?? 0;
    const [letter, digits] = code < 0x80 ? ['x', 2] : code < 0x1_0000 ? ['u', 4] : ['U', 8];
    return `\\${letter}${code.toString(16).padStart(digits, '0')}`;
  };
  return `"${Array.from(text, escape).join('')}"`;
};

/** The elements of a list, or the entries of a map in the order of their keys. */
const entriesOf = (value: Value, written: string): readonly (readonly [string | number, Value])[] => {
  if (Array.isArray(value)) return (value as readonly Value[]).map((element, index) => [index, element]);
  if (typeof value !== 'object') throw new Error(`${written} is not a list or map`);
  return Object.entries(value ?? {}).sort(([one], [other]) =>
    Buffer.compare(Buffer.from(one), Buffer.from(other)),
  );
};

const write = (parts: readonly Part[], scope: Scope): string =>
  parts
    .map((part) => {
      if ('text' in part) return part.text;
      if ('test' in part) return write(isTrue(lookUp(part.test, scope)) ? part.body : part.otherwise, scope);
      if ('print' in part) {
        const text = textOf(lookUp(part.print, scope), part.print.written);
        return part.quoted ? quote(text) : text;
      }
      const [nameOfKey = '', nameOfValue = ''] = part.names;
      return entriesOf(lookUp(part.range, scope), part.range.written)
        .map(([key, value]) =>
          write(part.body, new Map([...scope, ['.', value], [nameOfKey, key], [nameOfValue, value]])),
        )
        .join('');
    })
    .join('');

/**
 * Renders the subset of Go templates that the chart uses: `.Values`, `if`, `else`, `end`, `range`, `quote`, variables of a
 * range, and white space trimmed by `{{-` and `-}}`.
 * @throws Error for anything else, and for a value that does not exist
 */
export const renderTemplate = (template: string, values: Value): string => {
  const root: Value = { Values: values };
  return write(
    parse(template),
    new Map<string, Value>([
      ['.', root],
      ['$', root],
    ]),
  );
};
