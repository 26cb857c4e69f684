import { expect } from 'vitest';
import {
  variantTable,
  type SandboxOptions,
  type VariantName,
  type Variants,
} from '../../src/sandbox/index.ts';
import { withBox, type Box } from './support.ts';

type Options = Partial<Omit<SandboxOptions, 'now' | 'variants'>> & { with?: Partial<Variants> };

/** A text that reads like another value, such as "200" or "null", is in quotes. */
const readsOtherwise = /^[-+]?$|^-?\d+(?:\.\d+)?$|^(?:true|false|null|undefined)$|\s/;
const sign = (part: unknown): string => {
  if (typeof part === 'boolean') return part ? '+' : '-';
  return typeof part === 'string' && readsOtherwise.test(part) ? JSON.stringify(part) : String(part);
};
const shown = (seen: unknown): unknown => (Array.isArray(seen) ? seen.flat().map(sign).join(' ') : seen);

/** The check of a variant, which its id in docs/gateway.md names last. */
export type Check = (name: VariantName) => Promise<void>;

/** Checks that look under each value of a variant, the others at their defaults or as `with` says. */
export const observing = ({ with: others = {}, ...options }: Options = {}) => {
  /** What is seen under the values holds in a comparison. */
  const compares =
    <Seen>(
      look: (box: Box) => Promise<Seen>,
      compare: (found: Readonly<Record<string, Seen>>) => void,
    ): Check =>
    async (name) => {
      const found: Record<string, Seen> = {};
      for (const value of variantTable[name].values)
        found[value] = await withBox({ ...options, variants: { ...others, [name]: value } }, look);
      compare(found);
    };
  /** What is seen is expected, for exactly these values; the parts of an array as a text: + for true, - for false, and quotes around a text that reads like another value. */
  const sees = (expected: Readonly<Record<string, unknown>>, look: (box: Box) => Promise<unknown>): Check =>
    compares(look, (found) => {
      const texts = Object.entries(found).map(([value, seen]) => [value, shown(seen)]);
      expect(Object.fromEntries(texts)).toEqual(expected);
    });
  return { compares, sees };
};
