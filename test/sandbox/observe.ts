import { expect } from 'vitest';
import {
  variantTable,
  type SandboxOptions,
  type VariantName,
  type Variants,
} from '../../src/sandbox/index.ts';
import { withBox, type Box } from './support.ts';

type Options = Partial<Omit<SandboxOptions, 'now' | 'variants'>> & { with?: Partial<Variants> };

/** The check of a variant, which its id in docs/gateway.md names last. */
export type Check = (name: VariantName) => Promise<void>;

/**
 * Looks under each value of a variant, the others at their defaults or as `with` says. What is seen is expected for exactly these values,
 * or holds in the given comparison of them.
 */
export const sees =
  <Seen>(
    look: (box: Box) => Promise<Seen>,
    expected: Readonly<Record<string, unknown>> | ((found: Readonly<Record<string, Seen>>) => void),
    { with: others = {}, ...options }: Options = {},
  ): Check =>
  async (name) => {
    const found: Record<string, Seen> = {};
    for (const value of variantTable[name].values)
      found[value] = await withBox({ ...options, variants: { ...others, [name]: value } }, look);
    if (typeof expected === 'function') expected(found);
    else expect(found).toEqual(expected);
  };
