import type { SecretRegistry, YamlPath } from '../../core/index.ts';
import type { ConfigFault } from './config-fault.ts';
import { replaceReferences, splitReferences, type ReferenceDeps } from './references.ts';
import type { FieldNotes } from '../schema/notes.ts';
import { childOf, notesOf, type Schema } from '../schema/schema-walk.ts';
import type { Source } from './source.ts';

export type ResolveDeps = ReferenceDeps & { readonly secrets: SecretRegistry };

/** The tree with every reference replaced by its value. */
export type Resolved = {
  readonly value: unknown;
  readonly faults: readonly ConfigFault[];
  /** Locations whose value was unavailable: other faults of them are not reported. */
  readonly broken: readonly YamlPath[];
  /** Locations whose value was given by reference and must not be quoted. */
  readonly hidden: readonly YamlPath[];
};

type Walk = {
  readonly source: Source;
  readonly deps: ResolveDeps;
  readonly faults: ConfigFault[];
  readonly broken: YamlPath[];
  readonly hidden: YamlPath[];
};

const passwordOf = (text: string): string | undefined => {
  const userinfo = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)@/i.exec(text)?.[1];
  const colon = userinfo?.indexOf(':') ?? -1;
  return userinfo === undefined || colon < 0 ? undefined : userinfo.slice(colon + 1);
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

type SecretKind = NonNullable<FieldNotes['secret']>;

/** The parts of a URL to redact besides the whole: call errors may contain host and path separately. */
const pathsOf = (text: string): string[] => {
  if (!URL.canParse(text)) return [];
  const { href, pathname, search } = new URL(text);
  // Short paths are ordinary text that also occurs elsewhere.
  return [href, ...[pathname + search, pathname].filter((path) => path.length > 16)];
};

export const registerSecret = (
  value: string,
  pieces: readonly string[],
  kind: SecretKind,
  secrets: SecretRegistry,
): void => {
  const password = kind === 'password' ? passwordOf(value) : undefined;
  // The URL of a mail server without a password contains no secret; its name stays readable in messages.
  if (kind === 'password' && !value.includes('@')) return;
  const parts = password === undefined ? pieces : [password, decoded(password)];
  const all = new Set([value, value.trim(), ...parts, ...(kind === 'open' ? pathsOf(value) : [])]);
  for (const text of all) if (text !== '') secrets.register(text);
};

export const literalSecret = (written: string, kind: SecretKind | undefined): boolean => {
  if (kind === undefined || kind === 'open') return false;
  const parts = splitReferences(written);
  const texts = parts.map((part) => ('text' in part ? part.text : '\0')).join('');
  if (kind === 'whole') return !texts.includes('\0');
  const password = passwordOf(texts);
  return password !== undefined && password.replaceAll('\0', '') !== '';
};

const resolveText = async (
  written: string,
  schema: Schema | undefined,
  path: YamlPath,
  walk: Walk,
): Promise<string> => {
  const { secret } = notesOf(schema);
  const fail = (message: string, advice: string): string => {
    walk.faults.push({ file: walk.source.file, ...walk.source.at(path), message, advice });
    walk.broken.push(path);
    return written;
  };
  if (secret !== undefined) walk.hidden.push(path);
  // Looks like a shell variable. In place of a secret the name is not repeated, since it may be a password.
  if (secret !== undefined && /^\$[A-Za-z_][A-Za-z0-9_]*$/.test(written))
    return fail(
      `${path.join('.')} is a reference without braces`,
      'write "${NAME}", with the name of the environment variable within the braces',
    );
  if (literalSecret(written, secret))
    return fail(
      secret === 'password'
        ? `${path.join('.')} contains a plaintext password`
        : `${path.join('.')} contains a plaintext secret`,
      'secrets are given by reference: put the secret in an environment variable and write "${NAME}", or in a file and write "${file:/run/secrets/name}"; then replace the exposed secret',
    );
  const { value, pieces, problems, isMalformed } = await replaceReferences(written, walk.deps);
  for (const { problem, advice } of problems) fail(`${path.join('.')}: ${problem}`, advice);
  if (isMalformed)
    return fail(
      `${path.join('.')} contains an invalid reference that starts with "\${"`,
      'write ${NAME} with letters, digits and underscores, or ${file:/path}; $${ stands for a literal ${',
    );
  if (pieces.length > 0) walk.hidden.push(path);
  if (secret !== undefined && (pieces.length > 0 || secret === 'open'))
    registerSecret(value, pieces, secret, walk.deps.secrets);
  return value;
};

const resolveValue = async (
  value: unknown,
  schema: Schema | undefined,
  path: YamlPath,
  walk: Walk,
): Promise<unknown> => {
  if (typeof value === 'string') return resolveText(value, schema, path, walk);
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const [index, item] of value.entries())
      items.push(await resolveValue(item, childOf(schema, index), [...path, index], walk));
    return items;
  }
  if (typeof value !== 'object' || value === null) {
    if (notesOf(schema).secret !== undefined) walk.hidden.push(path);
    return value;
  }
  const entries: [string, unknown][] = [];
  for (const [key, item] of Object.entries(value))
    entries.push([key, await resolveValue(item, childOf(schema, key), [...path, key], walk)]);
  return Object.fromEntries(entries);
};

/** Most parts contain neither a reference nor a secret, and stay unchanged. */
const isPlain = (value: unknown, schema: Schema | undefined): boolean => {
  if (Array.isArray(value)) return value.every((item, index) => isPlain(item, childOf(schema, index)));
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).every(([key, item]) => isPlain(item, childOf(schema, key)));
  return notesOf(schema).secret === undefined && !(typeof value === 'string' && value.includes('${'));
};

/** Replaces all references below a location of the file. Secrets are registered before anything else sees them. */
export const resolveReferences = async (
  source: Source,
  path: YamlPath,
  value: unknown,
  schema: Schema | undefined,
  deps: ResolveDeps,
): Promise<Resolved> => {
  if (isPlain(value, schema)) return { value, faults: [], broken: [], hidden: [] };
  const walk: Walk = { source, deps, faults: [], broken: [], hidden: [] };
  const resolved = await resolveValue(value, schema, path, walk);
  return { value: resolved, faults: walk.faults, broken: walk.broken, hidden: walk.hidden };
};
