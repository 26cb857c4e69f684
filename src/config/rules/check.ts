import type { SecretRegistry, YamlPath } from '../../core/index.ts';
import type { ConfigFault } from '../load/config-fault.ts';
import { resolveReferences, type ResolveDeps } from '../load/resolve.ts';
import { valueAt } from '../schema/schema-walk.ts';
import type { Source } from '../load/source.ts';
import { inPlainEnglish } from './messages.ts';
import type { z } from 'zod';

/** A part of a file, read and checked. */
export type Checked<T> = {
  readonly source: Source;
  readonly path: YamlPath;
  /** As written, references replaced. */
  readonly resolved: unknown;
  /** Present only when the schema is satisfied. */
  readonly value?: T;
  readonly faults: readonly ConfigFault[];
  /** Locations whose value must not be shown. */
  readonly hidden: readonly YamlPath[];
  readonly hides: (path: YamlPath) => boolean;
  /** Whether the value at the path was unavailable, so that no further fault of it is reported. */
  readonly isBroken: (path: YamlPath) => boolean;
};

const covers = (paths: readonly YamlPath[], path: YamlPath): boolean =>
  paths.some((other) => other.length <= path.length && other.every((key, index) => key === path[index]));

/** Processes one part of a file from written to normalised: references, then schema. */
export const checkPart = async <T>(
  source: Source,
  path: YamlPath,
  written: unknown,
  schema: z.ZodType<T>,
  deps: ResolveDeps,
): Promise<Checked<T>> => {
  const references = await resolveReferences(source, path, written, schema, deps);
  const hides = (place: YamlPath): boolean => covers(references.hidden, place);
  const isBroken = (place: YamlPath): boolean => covers(references.broken, place);
  const parsed = schema.safeParse(references.value);
  const shape = parsed.success
    ? []
    : inPlainEnglish(parsed.error.issues, {
        schema,
        value: references.value,
        written,
        prefix: path,
        hidden: (place) => hides([...path, ...place]),
      });
  const faults = shape
    .map((fault) => ({ ...fault, path: [...path, ...fault.path] }))
    .filter((fault) => fault.onKey || !isBroken(fault.path))
    .map(({ path: place, onKey, ...fault }) => ({
      file: source.file,
      ...(onKey ? source.atKey(place) : source.at(place)),
      ...fault,
    }));
  return {
    source,
    path,
    resolved: references.value,
    ...(parsed.success && references.broken.length === 0 ? { value: parsed.data } : {}),
    faults: [...references.faults, ...faults],
    hidden: references.hidden,
    hides,
    isBroken,
  };
};

/** A value of a checked part as written in the file, if it may be shown. */
export const quoted = (part: Checked<unknown>, path: YamlPath): string => {
  const value = valueAt(part.source.value, path);
  return typeof value === 'string' ? JSON.stringify(value) : 'the value';
};

export const redacted = (faults: readonly ConfigFault[], secrets: SecretRegistry): ConfigFault[] =>
  faults.map((fault) => ({
    ...fault,
    message: secrets.redact(fault.message),
    ...(fault.advice === undefined ? {} : { advice: secrets.redact(fault.advice) }),
  }));
