/** A step of the schema; once released it is never edited, only followed by another. */
export type Migration = {
  readonly number: number;
  readonly name: string;
  readonly statements: readonly string[];
};
