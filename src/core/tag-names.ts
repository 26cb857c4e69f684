/** The tags that keys and services can have. */
export const tagNames = ['cost_center', 'environment', 'product', 'owner'] as const;

export type TagName = (typeof tagNames)[number];
