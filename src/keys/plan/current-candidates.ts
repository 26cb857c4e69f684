import { groupBy, type UnixMillis } from '../../core/index.ts';
import type { ApiKey } from '../../gateway/index.ts';
import type { CurrentCandidate, SurveyedKey } from '../model/service-types.ts';
import { isLive } from './newest-key.ts';

/**
 * The valid keys of each service that has several and whose current key is unknown to the journal: no cutover is recorded, and no rotation is open.
 * Orphans and partially delivered keys are no candidates. Pure.
 */
export const servicesWithoutCurrent = (
  keys: readonly SurveyedKey[],
  decided: ReadonlySet<string>,
  now: UnixMillis,
): ReadonlyMap<string, readonly SurveyedKey[]> => {
  const able = keys.filter(
    (key) =>
      !decided.has(key.service) && isLive(key, now) && key.retained === undefined && key.unfinished !== true,
  );
  return new Map([...groupBy(able, ({ service }) => service)].filter(([, line]) => line.length > 1));
};

/** Characters beside the common `sk-` that a mask must show to identify a key. */
const leastShown = 4;

/** Whether the served mask matches this plaintext, with or without its `sk-`; undefined if it shows too little. */
const fitsMask = (mask: string, plaintext: string): boolean | undefined => {
  const [first = '', ...rest] = mask.replace(/^sk-/, '').split(/[*•…]+|\.{3,}/);
  const last = rest.at(-1);
  const hidden = plaintext.replace(/^sk-/, '');
  if (last === undefined || first.length + last.length < leastShown) return undefined;
  return hidden.length >= first.length + last.length && hidden.startsWith(first) && hidden.endsWith(last);
};

/** Whether the plaintext may be that of the key, as far as its mask shows. */
export const canBeOf = ({ keyMask }: ApiKey, plaintext: string): boolean =>
  keyMask === undefined || fitsMask(keyMask, plaintext) !== false;

/** The only key whose mask matches the plaintext; undefined if none or several match, because an ambiguous mask proves nothing. */
export const keyByMask = (keys: Iterable<ApiKey>, plaintext: string): ApiKey | undefined => {
  const [one, second] = [...keys].filter(
    ({ keyMask }) => keyMask !== undefined && fitsMask(keyMask, plaintext) === true,
  );
  return second === undefined ? one : undefined;
};

const describe = ({ keyId, name, mask, places }: CurrentCandidate): string =>
  `${name} (id ${keyId}${mask === undefined ? '' : `, ${mask}`}${places.length === 0 ? '' : `, in ${places.join(' and ')}`})`;

export const currentUnknown = (service: string, candidates: readonly CurrentCandidate[]): string =>
  `${service} has ${candidates.length} valid keys, and no rotation has recorded which one its consumers hold: ${candidates.map(describe).join('; ')}`;

export const currentUnknownAdvice =
  'choose the key to replace: `tollkeeper keys rotate id:N` ends only that key; the others remain valid until they are unused';
