import { refused } from './sink-faults.ts';

/** The values of `{account}` and `{service}` in a spec. */
export type SinkNames = { readonly account: string; readonly service: string };

const placeholder = /\{(account|service)\}/g;

/** Others may have chosen the names of keys, so each position accepts only what is safe there. */
type Rule = { readonly holds: (value: string) => boolean; readonly message: string };

const segment: Rule = {
  holds: (value) => !/[/\\\p{Cc}]/u.test(value) && value !== '',
  message: 'a name in a path must not contain a slash or a control character',
};

/** Programs interpret their arguments freely, and may pass them to a shell. */
const argument: Rule = {
  holds: (value) => /^[\p{L}\p{N}._@:+-]+$/u.test(value),
  message: 'a name in a command argument may only contain letters, digits and . _ @ : + -',
};

const visible: Rule = {
  holds: (value) => value !== '' && !/\p{Cc}/u.test(value),
  message: 'it contains a control character',
};

const put = (template: string, names: SinkNames, rule: Rule, write: (value: string) => string): string =>
  template.replaceAll(placeholder, (_, which: 'account' | 'service') => {
    const value = names[which];
    if (rule.holds(value)) return write(value);
    throw refused(`the ${which} ${JSON.stringify(value)} cannot be used in ${template}: ${rule.message}`, {
      advice: `use a separate sink without {${which}} for it`,
    });
  });

const same = (value: string): string => value;

/** Whether the path contains `.` or `..`, which lead to another folder. */
const leadsAway = (path: string): boolean => path.split('/').some((part) => part === '.' || part === '..');

const notStraying = (filled: string, template: string): string => {
  if (filled === template || !leadsAway(filled) || leadsAway(template)) return filled;
  throw refused(`${template} would lead to another location with the names filled in: ${filled}`, {
    advice: 'rename the service, or use a separate sink for it',
  });
};

/** Fills names into a path. @throws Fault sink-refused when they would lead outside it */
export const fillPath = (template: string, names: SinkNames): string =>
  notStraying(put(template, names, segment, same), template);

/** Fills names into an argument. @throws Fault sink-refused when it could be read as an option or as shell syntax */
export const fillArgument = (template: string, names: SinkNames): string => {
  const filled = put(template, names, argument, same);
  if (filled.startsWith('-') && !template.startsWith('-'))
    throw refused(`${template} would begin with a dash with the names filled in: ${filled}`, {
      advice: 'put a word or -- in front of it',
    });
  return filled;
};

/** Fills names into the path or the query of a URL. @throws Fault sink-refused */
export const fillUrl = (template: string, names: SinkNames): string => {
  const [origin = ''] = /^[a-z]+:\/\/[^/?#]*/i.exec(template) ?? [];
  if (/\{(account|service)\}/.test(origin))
    throw refused('placeholders are allowed in the path of a URL, never in its host');
  return notStraying(put(template, names, segment, encodeURIComponent), template);
};

/** Fills names into a JSON pointer (RFC 6901). */
export const fillPointer = (template: string, names: SinkNames): string =>
  put(template, names, visible, (value) => value.replaceAll('~', '~0').replaceAll('/', '~1'));

/** @throws Fault sink-refused when the name does not match */
export const fitting = (name: string, pattern: RegExp, what: string): string => {
  if (pattern.test(name)) return name;
  throw refused(`${JSON.stringify(name)} is not a valid ${what}`, {
    advice: 'use another name for this service, in a separate sink',
  });
};

/** Fills names into a name, which must match the pattern afterwards. @throws Fault sink-refused */
export const fillName = (template: string, names: SinkNames, pattern: RegExp, what: string): string =>
  fitting(put(template, names, visible, same), pattern, what);

/** A field of a secret: any text on one line. */
export const anyField = /^[^\p{Cc}]+$/u;
