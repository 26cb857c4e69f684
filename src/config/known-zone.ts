import { isZone } from '../base/index.ts';

const known = new Set<string>();

/** Whether it is a time zone; one that was asked for before costs nothing, where the first look takes a tenth of a millisecond. */
export const isKnownZone = (name: string): boolean => {
  if (known.has(name)) return true;
  const holds = isZone(name);
  if (holds) known.add(name);
  return holds;
};
