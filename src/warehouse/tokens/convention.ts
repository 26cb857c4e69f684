/** Whether a vendor's prompt tokens hold the cached and cache-write ones, or those come on top. */
export const tokenConventions = ['includes_cache', 'excludes_cache'] as const;

export type TokenConvention = (typeof tokenConventions)[number];
