import { z } from 'zod';
import { fault } from '../../core/index.ts';
import type { ModelEndpoint } from './endpoint.ts';
import { nameOf } from './model-faults.ts';

/** The fields of a path, in order. */
export const pathFields = (path: string): readonly string[] =>
  Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);

/** A call as it is sent. */
export type ModelRequest = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text; omitted for a GET. */
  readonly body: string | undefined;
};

/** Characters of a body: more than any gateway takes. */
const maxBody = 64 * 1024 * 1024;

const inputFault = (endpoint: ModelEndpoint, problems: readonly string[]): Error =>
  fault('model-input-invalid', `${endpoint.name} cannot be called: ${problems.join('; ')}`, {
    advice: `nothing was sent; see \`tollkeeper call ${endpoint.name} --help\` and docs/gateway.md ${endpoint.statement}`,
  });

const problemOf = ({ path, message, code }: z.core.$ZodIssue, input: unknown): string => {
  const name = path.reduce<string>(
    (joined, part) =>
      typeof part === 'number' ? `${joined}[${part}]` : `${joined}${joined === '' ? '' : '.'}${String(part)}`,
    '',
  );
  const value = path.reduce<unknown>(
    (inner, part) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<PropertyKey, unknown>)[part] : undefined,
    input,
  );
  if (value === undefined && code === 'invalid_type') return `${name} is required`;
  return `${name}: ${message}`;
};

/** The input with its defaults. @throws Fault model-input-invalid, with each problem */
export const checkedInput = <Input extends z.ZodObject>(
  endpoint: ModelEndpoint<Input>,
  input: unknown,
): z.output<Input> => {
  const read = endpoint.input.safeParse(input);
  if (!read.success)
    throw inputFault(
      endpoint,
      read.error.issues.map((issue) => problemOf(issue, input)),
    );
  const problems = endpoint.check?.(read.data) ?? [];
  if (problems.length > 0) throw inputFault(endpoint, problems);
  return read.data;
};

const headerText = (value: unknown): string => (Array.isArray(value) ? value.join(',') : String(value));

/** What is sent for an input: each field in the path, in a header or in the body, and nowhere else. */
export const requestOf = (
  endpoint: ModelEndpoint,
  input: Readonly<Record<string, unknown>>,
): ModelRequest => {
  const inPath = pathFields(endpoint.path);
  const inHeaders = endpoint.headers ?? [];
  // A URL resolves them, even when they are encoded.
  const dots = inPath.find((name) => ['.', '..'].includes(String(input[name])));
  if (dots !== undefined) throw inputFault(endpoint, [`${dots} is no ID`]);
  const path = inPath.reduce(
    (filled, name) => filled.replace(`{${name}}`, () => encodeURIComponent(String(input[name]))),
    endpoint.path,
  );
  const sent = endpoint.sendsHeaders?.(input) === true ? inHeaders : [];
  const headers = Object.fromEntries(
    sent
      .filter((name) => input[name] !== undefined && headerText(input[name]) !== '')
      .map((name) => [name.replaceAll('_', '-'), headerText(input[name])]),
  );
  const wrong = Object.entries(headers).find(([, value]) => !/^[\x20-\x7e]+$/.test(value));
  if (wrong !== undefined)
    throw inputFault(endpoint, [`${wrong[0]} has a character that no header can have`]);
  if (endpoint.method === 'GET') return { path, headers, body: undefined };
  const elsewhere = new Set([...inPath, ...inHeaders]);
  const body = JSON.stringify(
    Object.fromEntries(Object.entries(input).filter(([name]) => !elsewhere.has(name))),
  );
  if (body.length > maxBody)
    throw inputFault(endpoint, [
      `${nameOf(endpoint)} would have a body of ${body.length} bytes, more than ${maxBody}`,
    ]);
  return { path, headers, body };
};
