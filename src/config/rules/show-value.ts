import { withoutShapes, type Secret, type YamlPath } from '../../core/index.ts';
import { childOf, notesOf, placeKey, type Schema } from '../schema/schema-walk.ts';

const units: readonly (readonly [string, number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
];

/** Milliseconds in YAML form: `1h30m`. */
export const showDuration = (milliseconds: number): string => {
  let rest = milliseconds;
  const parts: string[] = [];
  for (const [unit, length] of units) {
    const count = Math.floor(rest / length);
    if (count > 0) parts.push(`${count}${unit}`);
    rest -= count * length;
  }
  return parts.join('') || '0s';
};

export const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isSecret = (value: unknown): value is Secret =>
  isMap(value) && typeof value['reveal'] === 'function';

/** Longer texts are cut, so that log lines stay readable. */
const longest = 100;

/** A config value in YAML form; undefined when a part of it must not be shown. */
export const showValue = (
  value: unknown,
  schema: Schema | undefined,
  path: YamlPath,
  hidden: ReadonlySet<string>,
): string | undefined => {
  if (hidden.has(placeKey(path)) || isSecret(value)) return undefined;
  const parts = (entries: readonly (readonly [string | number, unknown])[]): string[] | undefined => {
    const shown = entries.map(([key, item]) => showValue(item, childOf(schema, key), [...path, key], hidden));
    const all = shown.filter((part) => part !== undefined);
    return all.length === shown.length ? all : undefined;
  };
  if (Array.isArray(value)) {
    const shown = parts([...value.entries()]);
    return shown === undefined ? undefined : `[${shown.join(', ')}]`;
  }
  if (isMap(value)) {
    const shown = parts(Object.entries(value));
    return shown === undefined
      ? undefined
      : `{ ${Object.keys(value)
          .map((key, index) => `${key}: ${shown[index]}`)
          .join(', ')} }`;
  }
  const { shows } = notesOf(schema);
  if (shows === 'duration' && typeof value === 'number') return showDuration(value);
  if (typeof value !== 'string' || shows === 'bare') return String(value);
  const text = withoutShapes(value);
  return JSON.stringify(text.length > longest ? `${text.slice(0, longest)}…` : text);
};
