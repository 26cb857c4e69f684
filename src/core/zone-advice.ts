import { nearest } from './nearest.ts';
import { isZone } from './zone.ts';

const known = new Set<string>();

/** Abbreviations that identify one place, or none, in every season. */
const unambiguous: readonly string[] = [
  'UTC',
  'GMT',
  'UCT',
  'ZULU',
  'PRC',
  'ROC',
  'ROK',
  'CUBA',
  'EIRE',
  'IRAN',
];

/** `PST`, `CET`, `EST`: some are fixed offsets that ignore DST, others the time of several places. */
const isAbbreviation = (name: string): boolean =>
  /^[a-z]{3,4}$/i.test(name) && !unambiguous.includes(name.toUpperCase());

/** Whether it is a time zone. Results are cached, since the first lookup takes a tenth of a millisecond. */
export const isKnownZone = (name: string): boolean => {
  if (known.has(name)) return true;
  const holds = !isAbbreviation(name) && isZone(name);
  if (holds) known.add(name);
  return holds;
};

/** A zone for the most common abbreviations. */
const zonesByAbbreviation: Readonly<Record<string, string>> = {
  PST: 'America/Los_Angeles',
  PDT: 'America/Los_Angeles',
  MST: 'America/Denver',
  MDT: 'America/Denver',
  CST: 'America/Chicago or Asia/Shanghai',
  CDT: 'America/Chicago',
  EST: 'America/New_York',
  EDT: 'America/New_York',
  HST: 'Pacific/Honolulu',
  BST: 'Europe/London',
  WET: 'Europe/Lisbon',
  CET: 'Europe/Berlin',
  CEST: 'Europe/Berlin',
  MET: 'Europe/Berlin',
  MEZ: 'Europe/Berlin',
  EET: 'Europe/Athens',
  IST: 'Asia/Kolkata',
  SGT: 'Asia/Singapore',
  HKT: 'Asia/Hong_Kong',
  JST: 'Asia/Tokyo',
  KST: 'Asia/Seoul',
  AEST: 'Australia/Sydney',
  AEDT: 'Australia/Sydney',
};

/** What to write instead of an invalid zone. */
export const zoneAdvice = (text: string): string => {
  if (isAbbreviation(text))
    return `use a place, because an abbreviation does not define clock changes: ${zonesByAbbreviation[text.toUpperCase()] ?? 'for example Europe/Berlin'}`;
  if (/\d/.test(text))
    return 'use a place, because an offset does not define clock changes: for example Europe/Berlin';
  const zones = Intl.supportedValuesOf('timeZone');
  const city = text.toLowerCase().replaceAll(' ', '_');
  const meant = zones.find((zone) => zone.toLowerCase().endsWith(`/${city}`)) ?? nearest(text, zones);
  return meant === undefined
    ? 'write for example Europe/Berlin or UTC'
    : `did you mean ${JSON.stringify(meant)}?`;
};
