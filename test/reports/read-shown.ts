import { money, multiplyMoney, type LocaleTag, type Money } from '../../src/core/index.ts';

/** How people of a language write numbers, told here apart from the program: CLDR 46. */
const signs: Readonly<Record<LocaleTag, { readonly group: string; readonly decimal: string }>> = {
  en: { group: ',', decimal: '.' },
  de: { group: '.', decimal: ',' },
  zh: { group: ',', decimal: '.' },
};

const powers: readonly (readonly [string, string])[] = [
  ['万亿', '1e12'],
  ['亿', '1e8'],
  ['万', '1e4'],
  ['Mio.', '1e6'],
  ['Mrd.', '1e9'],
  ['Bio.', '1e12'],
  ['k', '1e3'],
  ['M', '1e6'],
  ['B', '1e9'],
  ['T', '1e12'],
  ['%', '1e-2'],
];

/** The number that a text shows, and the step of its last digit, as a reader of the language takes it; throws where it is written another way. */
export const readShown = (text: string, tag: LocaleTag): { value: Money; places: number; unit: Money } => {
  const { group, decimal } = signs[tag];
  const bare = text
    .replace(/US\$|CN¥|[$¥€£]|\b[A-Z]{3}\b ?/, '')
    .replaceAll('\u00A0', '')
    .trim();
  const [mark, size] = powers.find(([suffix]) => bare.endsWith(suffix)) ?? ['', '1'];
  const digits = mark === '' ? bare : bare.slice(0, -mark.length);
  const [whole = '', fraction, ...rest] = digits.split(decimal);
  const groups = whole.replace('-', '').split(group);
  const isGrouped = groups.every(
    (part, at) => /^\d+$/.test(part) && (at === 0 ? part.length <= 3 : part.length === 3),
  );
  if (rest.length > 0 || !(isGrouped || /^-?\d{1,3}$/.test(whole)) || /[^\d]/.test(fraction ?? ''))
    throw new RangeError(`not a number in ${tag}: ${text}`);
  const number = money(`${whole.replaceAll(group, '')}${fraction === undefined ? '' : `.${fraction}`}`);
  const places = fraction?.length ?? 0;
  const unit = multiplyMoney(money(size), money(`1e-${places}`));
  return { value: multiplyMoney(number, money(size)), places, unit };
};
