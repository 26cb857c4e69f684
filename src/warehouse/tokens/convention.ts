/** Whether a vendor's prompt tokens include the cached and cache-write ones, or exclude them. */
export type TokenConvention = 'includes_cache' | 'excludes_cache';

/** Whether a vendor's completion tokens include the reasoning ones, or exclude them. */
export type OutputConvention = 'includes_reasoning' | 'excludes_reasoning';

/** The two sides of a call. Each has a whole count, and a part that the whole includes or excludes. */
export type TokenSide = 'input' | 'output';
