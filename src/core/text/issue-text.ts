/** The part of an issue of a schema that a message is made of. */
type Issue = {
  readonly code: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly format?: unknown;
};

/**
 * What is wrong with a value, and where: `rotations.0.at: …`. A regular expression says nothing to people: without a
 * message of its own, its issue only says that the form is wrong.
 */
export const issueText = ({ code, path, message, format }: Issue): string => {
  const place = path.length === 0 ? '' : `${path.join('.')}: `;
  const isPattern = code === 'invalid_format' && format === 'regex' && message.includes('must match pattern');
  return `${place}${isPattern ? 'has an invalid form' : message}`;
};
