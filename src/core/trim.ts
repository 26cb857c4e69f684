const isIn = (text: string, at: number, characters: string): boolean => characters.includes(text.charAt(at));

/** The text without these characters at its end. A pattern that ends with `+$` would take quadratic time. */
export const trimEndOf = (text: string, characters: string): string => {
  let end = text.length;
  while (end > 0 && isIn(text, end - 1, characters)) end -= 1;
  return text.slice(0, end);
};

/** The text without these characters at both ends. */
export const trimOf = (text: string, characters: string): string => {
  const rest = trimEndOf(text, characters);
  let start = 0;
  while (start < rest.length && isIn(rest, start, characters)) start += 1;
  return rest.slice(start);
};
