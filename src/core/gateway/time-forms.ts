/** The forms in which the log export may write `created_at` (docs/gateway.md G6.5). */
export const timeForms = [
  'seconds',
  'milliseconds',
  'microseconds',
  'nanoseconds',
  'rfc3339',
  'naive',
] as const;

export type TimeFormName = (typeof timeForms)[number];

type CountedForm = Exclude<TimeFormName, 'rfc3339' | 'naive'>;

/** Unix times by their unit. The digits are those of the years from 2001 on, so that no text has two forms. */
export const countedForms: Readonly<
  Record<CountedForm, { readonly digits: string; readonly perSecond: number }>
> = {
  seconds: { digits: '[0-9]{1,11}', perSecond: 1 },
  milliseconds: { digits: '[0-9]{12,15}', perSecond: 1000 },
  microseconds: { digits: '[0-9]{16}', perSecond: 1_000_000 },
  nanoseconds: { digits: '[0-9]{19}', perSecond: 1_000_000_000 },
};

export const isCounted = (form: TimeFormName): form is CountedForm => Object.hasOwn(countedForms, form);

const fraction = '([.][0-9]{1,9})?';
// With slashes too, as spreadsheets write them. A date that begins with the day or the month has no single reading.
const date = '([0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}/[0-9]{2}/[0-9]{2})';
const clock = '([0-9]{2}:[0-9]{2}:[0-9]{2})';
const offset = '(Z|[+-][0-9]{2}(:?[0-9]{2})?)';

/** The whole text of a time as a regular expression, in the common part of the syntaxes of RE2 and JavaScript. */
export const timePattern = (form: TimeFormName): string => {
  if (isCounted(form)) return `${countedForms[form].digits}${fraction}`;
  return `${date}[T ]${clock}${fraction}${form === 'rfc3339' ? offset : ''}`;
};

const patterns = timeForms.map((form) => [form, new RegExp(`^${timePattern(form)}$`)] as const);

/** The form of a time; undefined when it is none. */
export const timeFormOf = (text: string): TimeFormName | undefined =>
  patterns.find(([, pattern]) => pattern.test(text))?.[0];

/** Seconds of a written date and time, read as UTC; undefined for a date or time that does not exist. */
const wallSeconds = (written: string): number | undefined => {
  const millis = Date.parse(`${written}Z`);
  const isSame = !Number.isNaN(millis) && new Date(millis).toISOString().startsWith(written);
  return isSame ? millis / 1000 : undefined;
};

const aheadOf = (written: string): number => {
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(written) ?? [];
  return (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60 : 60);
};

const written = new RegExp(`^${date}[T ]${clock}${fraction}${offset}?$`);

/**
 * Whole seconds UTC of a text that has the form; undefined for a date or time that does not exist. `offsetAt` gives the
 * seconds by which the local time of a naive text is ahead of UTC.
 */
export const secondsOfTime = (
  text: string,
  form: TimeFormName,
  offsetAt: (local: number) => number,
): number | undefined => {
  if (isCounted(form)) {
    const [whole = '0'] = text.split('.');
    // Nanoseconds exceed the integers of a double.
    return Number(BigInt(whole) / BigInt(countedForms[form].perSecond));
  }
  const [, day = '', time = '', , zone = ''] = written.exec(text) ?? [];
  const local = wallSeconds(`${day.replaceAll('/', '-')}T${time}`);
  if (local === undefined) return undefined;
  return local - (form === 'rfc3339' ? aheadOf(zone) : offsetAt(local));
};
