/** Bytes that the name of a key may have: some gateways count bytes and not characters (docs/gateway.md G8.9). */
export const longestKeyName = 50;

/** How names of keys are made of a service and a generation; read by `readTemplate` alone, so that it is unambiguous. */
export type NameTemplate = {
  readonly text: string;
  readonly serviceFirst: boolean;
  /** What stands before the first placeholder, between the two and after the last. */
  readonly before: string;
  readonly between: string;
  readonly after: string;
  /** Whether a random suffix is added, so that no person gives a key the name of one that is being made. */
  readonly suffixed: boolean;
};

/** Where a job says nothing: `billing.g7-k3x9`. Names without the suffix, as it was once printed, are read too. */
export const defaultTemplate = '{service}.g{generation}-{random}';

const suffixForm = '-{random}';

/** The place of a key in the line of its service. */
export type KeyPlace = {
  readonly service: string;
  readonly generation: number;
  /** `k3x9` in `billing.g7-k3x9`: what makes a generated name unlike any that a person gives. */
  readonly suffix?: string;
};

/** Begins with a letter, so that it is never read as a number, and is no word such as `prod`. */
const suffixPattern = /-([a-z]\d[a-z]\d)$/;

const letters = 'abcdefghijklmnopqrstuvwxyz';

/** What makes a generated name unlike any other, from numbers in [0, 1). */
export const randomSuffix = (random: () => number): string => {
  const one = (of: string): string => of.charAt(Math.min(of.length - 1, Math.floor(random() * of.length)));
  const pair = (): string => one(letters) + one('0123456789');
  return pair() + pair();
};

const placeholders = /\{[^{}]*\}|[{}]/g;

/** Takes a template such as `{service}.g{generation}` apart; gives what is wrong with it as a sentence where it cannot be one. */
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

/** A template that was checked before. @throws RangeError */
export const templateOf = (text: string): NameTemplate => {
  const read = readTemplate(text);
  if ('problem' in read) throw new RangeError(`the template ${text} ${read.problem}`);
  return read;
};

/** Whether a gateway takes the name. */
export const isKeyName = (name: string): boolean => name !== '' && Buffer.byteLength(name) <= longestKeyName;

/** The name of a service's key; a suffix that would make it too long is left out. @throws RangeError for a generation that is none, or a service without a name. */
export const printKeyName = (template: NameTemplate, { service, generation, suffix }: KeyPlace): string => {
  if (service === '' || !Number.isSafeInteger(generation) || generation < 1)
    throw new RangeError(`there is no generation ${generation} of “${service}”`);
  const { before, between, after } = template;
  const [first, second] = template.serviceFirst ? [service, generation] : [generation, service];
  const name = `${before}${first}${between}${second}${after}`;
  const whole = template.suffixed && suffix !== undefined ? `${name}-${suffix}` : name;
  return isKeyName(whole) ? whole : name;
};

/** The place that a name says a key has; nothing when it does not fit the template to the last notification. */
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

/** The place a key has by its name: one that does not fit the template is the first of the service that has its whole name. */
export const placeByName = (template: NameTemplate, name: string): KeyPlace =>
  parseKeyName(template, name) ?? { service: name, generation: 1 };

/** Whether a service may stand in paths, arguments and names of variables: services of adopted keys are named by others. */
export const isServiceName = (service: string): boolean =>
  /^[^.\-/\\\p{C}\s][^/\\\p{C}]*$/u.test(service) && service.trim() === service;

/** The place that a name says a key has, by the first template that fits. */
export const readName = (name: string, templates: readonly string[]): KeyPlace | undefined =>
  templates.map((text) => parseKeyName(templateOf(text), name)).find((one) => one !== undefined);
