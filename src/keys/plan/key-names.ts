/** Bytes that the name of a key may have: some gateways count bytes where the document says characters (gateway-api.md, Limits). */
export const longestKeyName = 50;

/** How names of keys are made of a service and a generation; read by `readTemplate` alone, so that it is unambiguous. */
export type NameTemplate = {
  readonly text: string;
  readonly serviceFirst: boolean;
  /** What stands before the first placeholder, between the two and after the last. */
  readonly before: string;
  readonly between: string;
  readonly after: string;
};

/** The place of a key in the line of its service. */
export type KeyPlace = { readonly service: string; readonly generation: number };

const placeholders = /\{[^{}]*\}|[{}]/g;

/** Takes a template such as `{service}.g{generation}` apart; gives what is wrong with it in words where it cannot be one. */
export const readTemplate = (text: string): NameTemplate | { readonly problem: string } => {
  const found = text.match(placeholders) ?? [];
  const unknown = found.find((part) => part !== '{service}' && part !== '{generation}');
  if (unknown !== undefined)
    return { problem: `holds ${unknown}, and only {service} and {generation} are filled in` };
  for (const part of ['{service}', '{generation}']) {
    const times = found.filter((other) => other === part).length;
    if (times !== 1)
      return { problem: `must hold ${part} once, not ${times === 0 ? 'never' : `${times} times`}` };
  }
  const [before = '', between = '', after = ''] = text.split(/\{service\}|\{generation\}/);
  const serviceFirst = found[0] === '{service}';
  const digit = serviceFirst ? /(^|\d)$/ : /^(\d|$)/;
  if (digit.test(between))
    return {
      problem: `must have something other than a digit ${serviceFirst ? 'before' : 'behind'} {generation}, or its number could not be told from the name of the service`,
    };
  if (serviceFirst && /^\d/.test(after))
    return { problem: 'must have no digit behind {generation}, or its number could not be read' };
  if (Buffer.byteLength(before + between + after) > longestKeyName - 10)
    return {
      problem: `leaves too little room: a name may have ${longestKeyName} bytes, of which a service and a number need some`,
    };
  return { text, serviceFirst, before, between, after };
};

/** A template that was checked before. @throws RangeError */
export const templateOf = (text: string): NameTemplate => {
  const read = readTemplate(text);
  if ('problem' in read) throw new RangeError(`the template ${text} ${read.problem}`);
  return read;
};

/** The name of a service's key. @throws RangeError for a generation that is none, or a service without a name. */
export const printKeyName = (template: NameTemplate, { service, generation }: KeyPlace): string => {
  if (service === '' || !Number.isSafeInteger(generation) || generation < 1)
    throw new RangeError(`there is no generation ${generation} of “${service}”`);
  const { before, between, after } = template;
  const [first, second] = template.serviceFirst ? [service, generation] : [generation, service];
  return `${before}${first}${between}${second}${after}`;
};

/** Whether a gateway takes the name. */
export const isKeyName = (name: string): boolean => name !== '' && Buffer.byteLength(name) <= longestKeyName;

/** The place that a name says a key has; nothing when it does not fit the template to the last letter. */
export const parseKeyName = (template: NameTemplate, name: string): KeyPlace | undefined => {
  const { before, between, after, serviceFirst } = template;
  if (!name.startsWith(before) || !name.endsWith(after) || name.length < before.length + after.length)
    return undefined;
  const inner = name.slice(before.length, name.length - after.length);
  const digits = (serviceFirst ? /\d+$/ : /^\d+/).exec(inner)?.[0] ?? '';
  const generation = Number(digits);
  if (!/^[1-9]/.test(digits) || !Number.isSafeInteger(generation)) return undefined;
  const rest = serviceFirst ? inner.slice(0, -digits.length) : inner.slice(digits.length);
  if (!(serviceFirst ? rest.endsWith(between) : rest.startsWith(between))) return undefined;
  const service = serviceFirst ? rest.slice(0, -between.length) : rest.slice(between.length);
  return service === '' ? undefined : { service, generation };
};

/** The place a key has by its name: one that does not fit the template is the first of the service that bears its whole name. */
export const placeByName = (template: NameTemplate, name: string): KeyPlace =>
  parseKeyName(template, name) ?? { service: name, generation: 1 };

/** Whether a service may stand in paths, arguments and names of variables: services of adopted keys are named by others. */
export const isServiceName = (service: string): boolean =>
  /^[^.\-/\\\p{C}\s][^/\\\p{C}]*$/u.test(service) && service.trim() === service;
