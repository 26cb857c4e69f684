/** `a, b, c and 12 more`: the first names, which keep a line readable. */
export const listText = (names: readonly string[], most: number): string => {
  const more = names.length - most;
  return `${names.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
};
