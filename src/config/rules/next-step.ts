import { nearest, zoneAdvice } from '../../core/index.ts';
import { z } from 'zod';
import { bare, childOf, keysOf, notesOf, type Schema } from '../schema/schema-walk.ts';

/** An invalid value; `value` is present only if it may be shown. */
export type Misfit = { readonly key: string; readonly schema: Schema | undefined; readonly value: unknown };

const plainText = /^[A-Za-z0-9][A-Za-z0-9 @._/-]*$/;

/** A scalar or a list of scalars in YAML flow syntax. */
const written = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(written).join(', ')}]`;
  return typeof value === 'string' && !plainText.test(value) ? JSON.stringify(value) : String(value);
};

/** `write lag: 10m`; for a list entry only the value. */
const write = (key: string, form: string): string => `write ${key === '' ? '' : `${key}: `}${form}`;

const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

const isMap = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isFlat = (value: unknown): boolean =>
  isScalar(value) || (Array.isArray(value) && value.length > 0 && value.every(isScalar));

const fits = (schema: Schema | undefined, value: unknown): boolean =>
  schema !== undefined && z.safeParse(schema, value).success;

/** `retries: { limit: 5 }` for `retries: 5`: the first key of the map that accepts the value, or a list of it. */
const asMap = ({ key, schema, value }: Misfit): string => {
  const keys = keysOf(schema);
  if (isFlat(value))
    for (const name of keys) {
      const form = [value, [value]].find((one) => fits(childOf(schema, name), one));
      if (form !== undefined) return write(key, `{ ${name}: ${written(form)} }`);
    }
  const shown = keys.slice(0, 4).map((name) => `${name}: …`);
  if (shown.length === 0) return 'write the keys below it, indented by two spaces';
  return `${write(key, `{ ${shown.join(', ')} }`)}${keys.length > shown.length ? `; keys: ${keys.join(', ')}` : ''}`;
};

const asList = ({ key, schema, value }: Misfit): string => {
  if (isScalar(value)) return write(key, `[${fits(schema, [value]) ? written(value) : '…'}]`);
  const dashed =
    typeof value === 'object' && value !== null && Object.keys(value).some((name) => /^-\w/.test(name));
  return dashed
    ? 'put a space after the dash: - name: …'
    : 'write each entry on its own line, starting with "- "';
};

const asScalar = ({ key, schema, value }: Misfit): string | undefined => {
  if (!Array.isArray(value)) return undefined;
  const [only] = value as readonly unknown[];
  return value.length === 1 && fits(schema, only)
    ? `${write(key, written(only))}, without brackets`
    : 'write one value, without brackets';
};

const units: Readonly<Record<string, string>> = {
  second: 's',
  sec: 's',
  minute: 'm',
  min: 'm',
  hour: 'h',
  hr: 'h',
  day: 'd',
  week: 'w',
};

const ofDuration = ({ key, value }: Misfit): string => {
  const text = String(value).trim();
  if (/^\d+$/.test(text)) return `add a unit: ${text}s, ${text}m, ${text}h or ${text}d`;
  const [, count, unit = ''] = /^(\d+)\s*([a-z]+?)s?$/i.exec(text) ?? [];
  const short = units[unit.toLowerCase()];
  if (count !== undefined && Number(count) > 0 && short !== undefined) return write(key, `${count}${short}`);
  return 'write a number above 0 and a unit of s, m, h, d or w, such as 10m';
};

const ofDate = ({ key, value }: Misfit): string => {
  const text = String(value);
  const parts =
    /^(\d{4})[-/.]?(\d{2})[-/.]?(\d{2})(?:[T ].*)?$/.exec(text) ??
    // Day first, as in dates with points.
    /^(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})$/.exec(text);
  const groups = parts?.groups ?? { year: parts?.[1] ?? '', month: parts?.[2] ?? '', day: parts?.[3] ?? '' };
  const { year = '', month = '', day = '' } = groups;
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const isReal =
    parts !== null &&
    !Number.isNaN(Date.parse(date)) &&
    new Date(Date.parse(date)).toISOString().startsWith(date);
  return isReal && date !== text
    ? write(key, date)
    : 'write an existing date as YYYY-MM-DD, such as 2026-01-31';
};

const ofBoolean = ({ key, value }: Misfit): string => {
  const text = String(value).toLowerCase();
  if (['yes', 'on', 'y', 'true', '1'].includes(text)) return write(key, 'true');
  return ['no', 'off', 'n', 'false', '0'].includes(text)
    ? `write ${key}: false`
    : `write ${key}: true or false`;
};

const examplesOf = (schema: Schema | undefined): readonly unknown[] => {
  for (let current = schema; current !== undefined;) {
    const { examples } = z.globalRegistry.get(current) ?? {};
    if (Array.isArray(examples) && examples.length > 0) return examples as readonly unknown[];
    if (current instanceof z.ZodPipe) current = current.in;
    else if (
      current instanceof z.ZodOptional ||
      current instanceof z.ZodDefault ||
      current instanceof z.ZodPrefault
    )
      current = current.unwrap();
    else return [];
  }
  return [];
};

const list = (names: readonly string[]): string =>
  names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`;

/** `a number from 1 to 256`. */
const rangeOf = (inner: z.ZodNumber): string => {
  const isBound = (value: number | null): value is number =>
    value !== null && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  const { minValue, maxValue } = inner;
  const what = inner.format === 'safeint' ? 'a whole number' : 'a number';
  if (isBound(minValue) && isBound(maxValue)) return `${what} from ${minValue} to ${maxValue}`;
  if (isBound(minValue)) return `${what} of ${minValue} or more`;
  return isBound(maxValue) ? `${what} of ${maxValue} or less` : what;
};

const ofNumber = ({ key, schema, value }: Misfit, inner: z.ZodNumber): string => {
  const quoted = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  return fits(schema, quoted) ? `${write(key, String(quoted))}, without quotes` : `write ${rangeOf(inner)}`;
};

const ofText = ({ schema, value }: Misfit): string | undefined => {
  if (typeof value === 'string' && /^\$[A-Za-z_][A-Za-z0-9_]*$/.test(value))
    return `write "\${${value.slice(1)}}": a reference to an environment variable needs braces`;
  if (typeof value === 'string' && /^[“”„‘’«]/.test(value))
    return 'use straight quotes (") instead of typographic ones';
  if (typeof value === 'number' && fits(schema, String(value))) return `put it in quotes: "${value}"`;
  return undefined;
};

const choicesOf = (inner: Schema | undefined): readonly string[] => {
  if (inner instanceof z.ZodEnum) return inner.options.map(String);
  if (inner instanceof z.ZodLiteral) return [...inner.values].map(String);
  return inner instanceof z.ZodUnion ? inner.options.flatMap((option) => choicesOf(bare(option))) : [];
};

/** What to write instead of an invalid value, in the form of the field. */
export const nextStep = (misfit: Misfit): string | undefined => {
  const { key, schema, value } = misfit;
  const notes = notesOf(schema);
  const inner = bare(schema);
  const choices = choicesOf(inner);
  const meant = typeof value === 'string' ? nearest(value, choices) : undefined;
  if (meant !== undefined) return `did you mean ${JSON.stringify(meant)}?`;
  const reference = ofText(misfit);
  if (reference !== undefined) return reference;
  if (inner instanceof z.ZodBoolean) return ofBoolean(misfit);
  if (inner instanceof z.ZodObject || inner instanceof z.ZodRecord)
    return isMap(value) ? undefined : asMap(misfit);
  if (inner instanceof z.ZodArray) return asList(misfit);
  const scalar = asScalar(misfit);
  if (scalar !== undefined) return scalar;
  if (notes.shows === 'duration' && isScalar(value)) return ofDuration(misfit);
  if (notes.form === 'date' && isScalar(value)) return ofDate(misfit);
  if (notes.form === 'zone' && typeof value === 'string') return zoneAdvice(value);
  if (notes.advice !== undefined) return notes.advice;
  if (inner instanceof z.ZodNumber) return ofNumber(misfit, inner);
  if (choices.length > 0) return `write ${list(choices)}`;
  const [example] = examplesOf(schema);
  if (example !== undefined) return `write for example ${key === '' ? '' : `${key}: `}${written(example)}`;
  if (typeof value === 'number' || typeof value === 'boolean') return 'put it in quotes';
  return notes.description === undefined ? undefined : 'write it in one of these forms';
};
