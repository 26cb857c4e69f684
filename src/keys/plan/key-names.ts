/** Bytes of a key name: some gateways count bytes instead of characters (docs/gateway.md G8.9). */
export const longestKeyName = 50;

/** The form of key names; only `readTemplate` creates it, which guarantees that it is unambiguous. */
export type NameTemplate = {
  readonly text: string;
  readonly serviceFirst: boolean;
  readonly before: string;
  readonly between: string;
  readonly after: string;
  /** Whether names get a random suffix, so that no person uses the name of a key that is being created. */
  readonly suffixed: boolean;
};

/** The default of a job: `billing.g7-k3x9`. Names without the suffix, from earlier versions, are parsed too. */
export const defaultTemplate = '{service}.g{generation}-{random}';

const suffixForm = '-{random}';

export type KeyPlace = {
  readonly service: string;
  readonly generation: number;
  /** `k3x9` in `billing.g7-k3x9`: distinguishes generated names from those that people choose. */
  readonly suffix?: string;
};

/** Starts with a letter, so it never reads as a number, and never matches a word such as `prod`. */
const suffixPattern = /-([a-z]\d[a-z]\d)$/;

const letters = 'abcdefghijklmnopqrstuvwxyz';

export const randomSuffix = (random: () => number): string => {
  const one = (of: string): string => of.charAt(Math.min(of.length - 1, Math.floor(random() * of.length)));
  const pair = (): string => one(letters) + one('0123456789');
  return pair() + pair();
};

const placeholders = /\{[^{}]*\}|[{}]/g;

/** Parses a template such as `{service}.g{generation}`, or returns the problem as a sentence. */
export const readTemplate = (text: string): NameTemplate | { readonly problem: string } => {
  if (text === defaultTemplate) {
    const plain = readTemplate(text.slice(0, -suffixForm.length));
    return 'problem' in plain ? plain : { ...plain, text, suffixed: true };
  }
  const found = text.match(placeholders) ?? [];
  const unknown = found.find((part) => part !== '{service}' && part !== '{generation}');
  if (unknown !== undefined)
    return { problem: `contains ${unknown}; only {service} and {generation} are supported` };
  for (const part of ['{service}', '{generation}']) {
    const times = found.filter((other) => other === part).length;
    if (times !== 1) return { problem: `must contain ${part} exactly once, not ${times} times` };
  }
  const [before = '', between = '', after = ''] = text.split(/\{service\}|\{generation\}/);
  const serviceFirst = found[0] === '{service}';
  const digit = serviceFirst ? /(^|\d)$/ : /^(\d|$)/;
  if (digit.test(between))
    return {
      problem: `must have a character other than a digit ${serviceFirst ? 'before' : 'after'} {generation} to separate it from the service name`,
    };
  if (serviceFirst && /^\d/.test(after)) return { problem: 'must not have a digit after {generation}' };
  if (Buffer.byteLength(before + between + after) > longestKeyName - 10)
    return {
      problem: `is too long: a key name may have ${longestKeyName} bytes, including the service and the generation`,
    };
  return { text, serviceFirst, before, between, after, suffixed: false };
};

/** Parses a template that was validated before. @throws RangeError */
export const templateOf = (text: string): NameTemplate => {
  const read = readTemplate(text);
  if ('problem' in read) throw new RangeError(`the template ${text} ${read.problem}`);
  return read;
};

export const isKeyName = (name: string): boolean => name !== '' && Buffer.byteLength(name) <= longestKeyName;

/** The name of a key; omits a suffix that would make it too long. @throws RangeError for an invalid generation or an empty service */
export const printKeyName = (template: NameTemplate, { service, generation, suffix }: KeyPlace): string => {
  if (service === '' || !Number.isSafeInteger(generation) || generation < 1)
    throw new RangeError(`there is no generation ${generation} of “${service}”`);
  const { before, between, after } = template;
  const [first, second] = template.serviceFirst ? [service, generation] : [generation, service];
  const name = `${before}${first}${between}${second}${after}`;
  const whole = template.suffixed && suffix !== undefined ? `${name}-${suffix}` : name;
  return isKeyName(whole) ? whole : name;
};

/** The position that a name states; undefined unless it matches the template completely. */
export const parseKeyName = (template: NameTemplate, name: string): KeyPlace | undefined => {
  const [whole = '', suffix] = (template.suffixed ? suffixPattern.exec(name) : null) ?? [];
  const place = suffix === undefined ? undefined : parsePlain(template, name.slice(0, -whole.length));
  return place === undefined || suffix === undefined ? parsePlain(template, name) : { ...place, suffix };
};

const parsePlain = (template: NameTemplate, name: string): KeyPlace | undefined => {
  const { before, between, after, serviceFirst } = template;
  if (!name.startsWith(before) || !name.endsWith(after) || name.length < before.length + after.length)
    return undefined;
  const inner = name.slice(before.length, name.length - after.length);
  const digits = (serviceFirst ? /(?<!\d)\d+$/ : /^\d+/).exec(inner)?.[0] ?? '';
  const generation = Number(digits);
  if (!/^[1-9]/.test(digits) || !Number.isSafeInteger(generation)) return undefined;
  const rest = serviceFirst ? inner.slice(0, -digits.length) : inner.slice(digits.length);
  if (!(serviceFirst ? rest.endsWith(between) : rest.startsWith(between))) return undefined;
  const service = serviceFirst ? rest.slice(0, -between.length) : rest.slice(between.length);
  return service === '' ? undefined : { service, generation };
};

/** Like `parseKeyName`, but a name that does not match is generation 1 of a service with that name. */
export const placeByName = (template: NameTemplate, name: string): KeyPlace =>
  parseKeyName(template, name) ?? { service: name, generation: 1 };

/** Whether a service name is safe in paths, arguments and variable names: others choose the names of adopted services. */
export const isServiceName = (service: string): boolean =>
  /^[^.\-/\\\p{C}\s][^/\\\p{C}]*$/u.test(service) && service.trim() === service;

/** The position that a name states, by the first template that matches. */
export const readName = (name: string, templates: readonly string[]): KeyPlace | undefined =>
  templates.map((text) => parseKeyName(templateOf(text), name)).find((one) => one !== undefined);
