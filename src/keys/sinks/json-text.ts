import { applyEdits, findNodeAtLocation, modify, parseTree, type Node, type ParseError } from 'jsonc-parser';
import { lineEndOf, type FileForm } from './file/dotenv.ts';
import { refused } from './sink-faults.ts';

/** The parts of a JSON pointer (RFC 6901). @throws Fault sink-refused */
export const pointerParts = (pointer: string): readonly string[] => {
  if (!/^(\/([^~/]|~[01])*)+$/.test(pointer))
    throw refused(`${JSON.stringify(pointer)} is not a JSON pointer to a value`, {
      advice: 'use a pointer such as /gateway/api_key',
    });
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
};

/** Parses JSON, with comments and trailing commas. Errors quote no content, which may be secret. @throws Fault sink-refused */
const treeOf = (text: string, what: string): Node | undefined => {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  if (errors.length > 0)
    throw refused(`${what} is not valid JSON: error at character ${errors[0]?.offset ?? 0}`, {
      advice: 'fix it; nothing was written',
    });
  return tree;
};

/** The source text at a location, so that numbers that JavaScript would round are preserved. */
export const rawAt = (text: string, path: readonly string[], what: string): string | undefined => {
  const tree = treeOf(text, what);
  const node = tree === undefined ? undefined : findNodeAtLocation(tree, [...path]);
  return node === undefined ? undefined : text.slice(node.offset, node.offset + node.length);
};

const spoilt = (what: string, why: string): Error =>
  refused(`${what}: ${why}`, { advice: 'fix the file, or use another location; nothing was written' });

type Found = { readonly node: Node | undefined; readonly path: (string | number)[] };

/** Follows the path; missing objects may be created, but other values must not be replaced. */
const find = (tree: Node | undefined, parts: readonly string[], what: string): Found => {
  let node = tree;
  const path: (string | number)[] = [];
  for (const part of parts) {
    if (node === undefined || node.type === 'object') {
      const own: Node[] = (node?.children ?? []).filter((child) => child.children?.[0]?.value === part);
      if (own.length > 1)
        throw spoilt(what, `it has ${JSON.stringify(part)} twice, and readers differ in which one they use`);
      node = own[0]?.children?.[1];
      path.push(part);
    } else if (node.type === 'array') {
      const index = /^(0|[1-9]\d{0,8})$/.test(part) ? Number(part) : -1;
      const item: Node | undefined = node.children?.[index];
      if (item === undefined) throw spoilt(what, `a list has no item ${JSON.stringify(part)}`);
      node = item;
      path.push(index);
    } else
      throw spoilt(
        what,
        `${JSON.stringify(part)} would be inside a value that is neither an object nor a list`,
      );
  }
  return { node, path };
};

const fieldFound = (text: string, parts: readonly string[], what: string): Found => {
  const found = find(treeOf(text, what), parts, what);
  if (found.node?.type === 'object' || found.node?.type === 'array')
    throw spoilt(what, `an ${found.node.type} is where the key should be`);
  return found;
};

/** The text at the location; undefined if there is none. @throws Fault sink-refused */
export const readField = (text: string, parts: readonly string[], what: string): string | undefined => {
  const { node } = fieldFound(text, parts, what);
  return node?.type === 'string' && node.value !== '' ? String(node.value) : undefined;
};

const indentOf = (text: string): { insertSpaces: boolean; tabSize: number } => {
  const [, indent = '  '] = /^[{[][^\S\r\n]*\r?\n([ \t]+)/m.exec(text) ?? [];
  return { insertSpaces: !indent.startsWith('\t'), tabSize: indent.length };
};

/** Sets the text at the location; every other byte is preserved. @throws Fault sink-refused */
export const writeField = (text: string, parts: readonly string[], key: string, what: string): string => {
  const { node, path } = fieldFound(text, parts, what);
  if (node !== undefined)
    return text.slice(0, node.offset) + JSON.stringify(key) + text.slice(node.offset + node.length);
  if (text.trim() === '') return `${applyEdits('{}', modify('{}', path, key, {}))}\n`;
  const formattingOptions = { ...indentOf(text), eol: lineEndOf(text) };
  const multiline = text.trim().includes('\n');
  return applyEdits(text, modify(text, path, key, multiline ? { formattingOptions } : {}));
};

const mark = '\u00ef\u00bb\u00bf';

export const jsonForm = (pointer: string, what: string): FileForm => {
  // The text has one character per byte, so the names need the same form.
  const parts = pointerParts(pointer).map((part) => Buffer.from(part, 'utf8').toString('latin1'));
  const bodyOf = (text: string): string => (text.startsWith(mark) ? text.slice(mark.length) : text);
  return {
    read: (text) => readField(bodyOf(text), parts, what),
    write: (text, key) => {
      const bytes = Buffer.from(key, 'utf8').toString('latin1');
      return (text.startsWith(mark) ? mark : '') + writeField(bodyOf(text), parts, bytes, what);
    },
  };
};
