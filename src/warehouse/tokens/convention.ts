/** Whether a vendor's prompt tokens hold the cached and cache-write ones, or those come on top. */
export type TokenConvention = 'includes_cache' | 'excludes_cache';
