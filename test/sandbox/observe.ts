import { expect } from 'vitest';
import {
  variantTable,
  type SandboxOptions,
  type VariantName,
  type Variants,
} from '../../src/sandbox/index.ts';
import { withBox, type Box } from './support.ts';

type Options = Partial<Omit<SandboxOptions, 'now' | 'variants'>> & { with?: Partial<Variants> };

/** What is seen under each value of one switch, the others at their defaults or as `with` says. */
export const seen = async <Name extends VariantName, Value>(
  name: Name,
  look: (box: Box, value: Variants[Name]) => Promise<Value>,
  { with: others = {}, ...options }: Options = {},
): Promise<Record<string, Value>> => {
  const found: Record<string, Value> = {};
  for (const value of variantTable[name].values as readonly string[] as readonly Variants[Name][]) {
    found[value] = await withBox({ ...options, variants: { ...others, [name]: value } }, (box) =>
      look(box, value),
    );
  }
  return found;
};

/** One sight for each value of the switch; a value that is not expected fails. */
export const expectSeen = async <Name extends VariantName, Value>(
  name: Name,
  look: (box: Box, value: Variants[Name]) => Promise<Value>,
  expected: { [Key in Variants[Name]]: unknown },
  options: Options = {},
): Promise<void> => {
  expect(await seen(name, look, options)).toEqual(expected);
};
