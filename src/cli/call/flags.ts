import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { fault, readReason, readText } from '../../core/index.ts';
import type { InputField } from '../../gateway/index.ts';
import { mediaTypeOf } from './media-type.ts';

const valueName: Readonly<Record<InputField['kind'], string>> = {
  text: '<text>',
  whole: '<number>',
  number: '<number>',
  flag: '',
  choice: '<choice>',
  json: '<json>',
};

const wholeOf = (text: string): number => {
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidArgumentError('it must be a whole number');
  return Number(text);
};

const numberOf = (text: string): number => {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('it must be a number');
  return value;
};

const collected = (value: string, before: readonly string[] | undefined): readonly string[] => [
  ...(before ?? []),
  value,
];

const optionOf = (field: InputField): Option => {
  const text = field.isList ? '<text>' : valueName[field.kind];
  const value = field.file === undefined ? text : '<file>';
  const notes = [
    ...(field.required ? ['required'] : []),
    ...(field.byDefault === undefined ? [] : [`default: ${field.byDefault}`]),
  ];
  const description = `${field.description}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`;
  const option = new Option(`--${field.flag}${value === '' ? '' : ` ${value}`}`, description);
  if (field.isList) return option.argParser(collected);
  if (field.kind === 'choice') return option.choices([...field.choices]);
  if (field.kind === 'whole') return option.argParser(wholeOf);
  return field.kind === 'number' ? option.argParser(numberOf) : option;
};

export const addFlags = (command: Command, fields: readonly InputField[]): void => {
  for (const field of fields) command.addOption(optionOf(field));
};

const attributeOf = (flag: string): string =>
  flag.replace(/-([a-z\d])/g, (_, letter: string) => letter.toUpperCase());

const jsonOf = (text: string, name: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw fault('wrong-use', `${name} is not JSON`, {
      advice: 'put it in single quotes, with names in double quotes',
    });
  }
};

/** Maximum bytes of an image that is sent. */
const largestImage = 32 * 1024 * 1024;

const encoded = async (path: string, cwd: string, form: 'base64' | 'data-uri'): Promise<string> => {
  let bytes: Buffer;
  try {
    bytes = await readFile(resolve(cwd, path));
  } catch (error) {
    throw fault('wrong-use', `${path} cannot be read (${readReason(error)})`, { advice: 'check the path' });
  }
  if (bytes.length > largestImage)
    throw fault('wrong-use', `${path} has more than ${largestImage / 1024 / 1024} MiB`, {
      advice: 'use a smaller image',
    });
  const base64 = bytes.toString('base64');
  return form === 'base64' ? base64 : `data:${mediaTypeOf(bytes).type};base64,${base64}`;
};

const valueOf = async (field: InputField, given: unknown, cwd: string): Promise<unknown> => {
  if (field.file !== undefined) {
    const form = field.file;
    return field.isList
      ? Promise.all((given as readonly string[]).map((path) => encoded(path, cwd, form)))
      : encoded(String(given), cwd, form);
  }
  // A conversation starts with the user, and the roles alternate.
  if (field.name === 'messages')
    return (given as readonly string[]).map((content, at) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      content,
    }));
  if (field.name === 'input' && field.isList) {
    const texts = given as readonly string[];
    return texts.length === 1 ? texts[0] : texts;
  }
  return field.kind === 'json' && !field.isList ? jsonOf(String(given), `--${field.flag}`) : given;
};

/** Parameters beyond the contract, as `name=value`; the value is JSON, or else text. */
const setOf = (text: string): readonly [string, unknown] => {
  const at = text.indexOf('=');
  if (at < 1)
    throw fault('wrong-use', `--set ${text} has no name`, { advice: 'write it as --set name=value' });
  const value = text.slice(at + 1);
  try {
    return [text.slice(0, at), JSON.parse(value)];
  } catch {
    return [text.slice(0, at), value];
  }
};

type Given = Readonly<Record<string, unknown>> & {
  readonly input?: unknown;
  readonly from?: string;
  readonly set?: readonly string[];
};

/** The JSON file, overridden by `--set` and by flags. @throws Fault wrong-use */
export const readInput = async (
  fields: readonly InputField[],
  given: Given,
  cwd: string,
): Promise<Readonly<Record<string, unknown>>> => {
  let written: unknown = {};
  if (given.from !== undefined) {
    const text = await readText(resolve(cwd, given.from)).catch((error: unknown) => {
      throw fault('wrong-use', `${given.from} cannot be read (${readReason(error)})`, {
        advice: 'check the path',
      });
    });
    written = jsonOf(text, given.from);
    if (typeof written !== 'object' || written === null || Array.isArray(written))
      throw fault('wrong-use', `${given.from} is not a JSON object`, {
        advice: 'write the fields of the call as an object',
      });
  }
  const sets = (given.set ?? []).map(setOf);
  const flags: [string, unknown][] = [];
  for (const field of fields) {
    const value = given[attributeOf(field.flag)];
    if (value !== undefined) flags.push([field.name, await valueOf(field, value, cwd)]);
  }
  return { ...(written as object), ...Object.fromEntries(sets), ...Object.fromEntries(flags) };
};
